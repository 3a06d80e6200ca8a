import { evmSequencerBalances, sequencerBalances } from '@switchyard/network/accounts';
import {
  type ChainGenesis,
  chainGenesisFile,
  getEvmGenesisFile,
  type RollupGenesis,
  type RollupOrigin,
  rollupGenesisFile,
} from '@switchyard/network/genesis';
import { type Naming, nameOfRollup, type RollupKind } from './templates.ts';

export interface SequencerGenesis
  extends Pick<Naming, 'rollups'>,
    Pick<ChainGenesis, 'chainId' | 'nativeDenom' | 'time'> {
  /** Base64, from the validator key file. */
  readonly validatorPublicKey: string;
}

/** The text of a new `config/genesis.json`: a CometBFT genesis with the sequencer's first state as `app_state`. */
export function sequencerGenesisFile({ validatorPublicKey, rollups, ...chain }: SequencerGenesis): string {
  return chainGenesisFile({
    ...chain,
    accounts: accountsFor(rollups),
    validators: [{ name: 'local', publicKey: validatorPublicKey }],
  });
}

/** Accounts that have funds on the sequencer of an instance from the beginning. */
export function accountsFor(rollups: readonly RollupKind[]): typeof sequencerBalances {
  return rollups.includes('evm') ? [...sequencerBalances, ...evmSequencerBalances] : sequencerBalances;
}

/** The text of the genesis of a rollup, from the names of an instance. */
export function rollupGenesis(
  rollup: RollupKind,
  settings: Omit<RollupGenesis, 'rollupName'> & Naming,
  origin?: RollupOrigin,
): string {
  const named = { ...settings, rollupName: nameOfRollup(settings, rollup) };
  return rollup === 'evm' ? getEvmGenesisFile(named, origin) : rollupGenesisFile(named, origin);
}
