import { parseInput } from '@switchyard/client/rollup';
import { readValidators, validatorsJson } from '@switchyard/client/signed-blocks';
import type { TrustedValidators } from '@switchyard/rollup/live/verify';
import { readStored, writeSetting } from '../../ui/settings.ts';

/** Validators of the sequencer that this browser trusts. */
export function trustedValidators(chainId: string): TrustedValidators {
  const name = `chat/validators/${chainId}`;
  return {
    keeper: 'this browser',
    known: readStored('browser', name, (text) => readValidators(parseInput(text, 'validators'))),
    trust: (validators) => writeSetting('browser', name, JSON.stringify(validatorsJson(validators))),
  };
}
