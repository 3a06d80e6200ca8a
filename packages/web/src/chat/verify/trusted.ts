import { object } from '@switchyard/client/http-api';
import { parseInput } from '@switchyard/client/rollup';
import { createValidator, fromHex, toHex, type Validator } from '@switchyard/protocol';
import { readStored, writeSetting } from '../../ui/settings.ts';

/*
 * Validators of the sequencer that this browser trusts: the first ones it saw, and later ones for which enough of the ones
 * before have signed for.
 */

const toName = (chainId: string): string => `chat/validators/${chainId}`;
const validator = object({ publicKey: (input) => input.text(), power: (input) => input.text() });
const MAX_VALIDATORS = 1_000;

export const trustedValidators = (chainId: string): readonly Validator[] | undefined =>
  readStored('browser', toName(chainId), (text) =>
    parseInput(text, 'validators')
      .list(MAX_VALIDATORS)
      .map(validator)
      .map(({ publicKey, power }) => createValidator(fromHex(publicKey), BigInt(power))),
  );

/** Call it only with those of a header that was verified. */
export function trustValidators(chainId: string, validators: readonly Validator[]): void {
  const plain = validators.map(({ publicKey, power }) => ({ publicKey: toHex(publicKey), power: String(power) }));
  writeSetting('browser', toName(chainId), JSON.stringify(plain));
}
