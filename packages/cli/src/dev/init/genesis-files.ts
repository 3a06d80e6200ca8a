import { evmSequencerBalances, sequencerBalances } from '@switchyard/network/accounts';
import { chainGenesisFile, evmGenesisFileOf, type RollupGenesis, type RollupOrigin } from '@switchyard/network/genesis';
import { evmNameOf, hasEvm, type Naming, type Template } from './templates.ts';

export interface SequencerGenesis {
  readonly chainId: string;
  readonly nativeDenom: string;
  readonly template: Template;
  /** Base64, from the validator key file. */
  readonly validatorPublicKey: string;
  readonly time: Date;
}

/** The text of a new `config/genesis.json`: a CometBFT genesis with the sequencer's first state as `app_state`. */
export function sequencerGenesisFile({ validatorPublicKey, ...chain }: SequencerGenesis): string {
  const { chainId, nativeDenom, time, template } = chain;
  return chainGenesisFile({
    chainId,
    nativeDenom,
    time,
    accounts: accountsFor(template),
    validators: [{ name: 'local', publicKey: validatorPublicKey }],
  });
}

/** Accounts that have funds on the sequencer of an instance from the beginning. */
export function accountsFor(template: Template): typeof sequencerBalances {
  return hasEvm(template) ? [...sequencerBalances, ...evmSequencerBalances] : sequencerBalances;
}

/** The text of a new `config/evm_genesis.json`, from the names of an instance. */
export function evmGenesisOf(settings: Omit<RollupGenesis, 'rollupName'> & Naming, origin?: RollupOrigin): string {
  return evmGenesisFileOf({ ...settings, rollupName: evmNameOf(settings) }, origin);
}
