import { existsSync } from 'node:fs';
import { parseJson, readText } from '../files/files.ts';
import { type JsonPath, jsonAt } from '../files/json-edit.ts';
import { isTable } from '../files/toml.ts';
import type { Instance, ServiceEntry } from '../instance/instance.ts';
import { rollupGenesisPath, sequencerGenesisPath } from './check/places.ts';
import { rollupBuiltin } from './entry.ts';
import { withRole } from './roles.ts';

/** Keys of a genesis for values that other files state too, in each spelling. */
interface GenesisKeys {
  /** Chain id of the sequencer. */
  readonly chainId: readonly JsonPath[];
  readonly rollupName: readonly JsonPath[];
  /** The accounts whose deposits the rollup takes. */
  readonly bridges: JsonPath;
  /** Lists whose items name an asset. */
  readonly assets: { readonly at: JsonPath; readonly key: string };
}

const BRIDGES = ['config', 'switchyard', 'bridgeAddresses'] as const;

/** A rollup of the user's has its genesis in the form of the messenger's. */
export const GENESIS_KEYS: Readonly<Record<'messenger' | 'evm', GenesisKeys>> = {
  messenger: {
    chainId: [['sequencer_chain_id'], ['sequencerChainId']],
    rollupName: [['rollup_name'], ['rollupName']],
    bridges: ['bridge_accounts'],
    assets: { at: ['withdrawals'], key: 'asset' },
  },
  evm: {
    chainId: [['config', 'switchyard', 'sequencer', 'chainId']],
    rollupName: [
      ['config', 'switchyard', 'rollupName'],
      ['config', 'astriaRollupName'],
    ],
    bridges: BRIDGES,
    assets: { at: BRIDGES, key: 'assetDenom' },
  },
};

export const SEQUENCER_GENESIS = {
  chainId: [['chain_id'], ['app_state', 'chain_id']],
  asset: ['app_state', 'native_asset_base_denomination'],
  feeAssets: ['app_state', 'allowed_fee_assets'],
} as const;

export interface RollupGenesis {
  readonly entry: ServiceEntry;
  readonly path: string;
  readonly keys: GenesisKeys;
}

export function toRollupGenesis(instance: Instance, entry: ServiceEntry): RollupGenesis {
  const keys = GENESIS_KEYS[rollupBuiltin(entry) === 'evm' ? 'evm' : 'messenger'];
  return { entry, path: rollupGenesisPath(instance, entry), keys };
}

/** The genesis files of the rollups of a network, each once. */
export function rollupGenesesIn(instance: Instance): RollupGenesis[] {
  const files = withRole(instance.network, 'rollup').map((entry) => toRollupGenesis(instance, entry));
  return files.filter(({ path }, index) => files.findIndex((file) => file.path === path) === index);
}

/** The genesis files of a network, that of a sequencer which runs here first. */
export function genesisPathsIn(instance: Instance): string[] {
  const sequencer = sequencerGenesisPath(instance);
  const rollups = rollupGenesesIn(instance).map(({ path }) => path);
  return [...new Set([...(sequencer === undefined ? [] : [sequencer]), ...rollups])];
}

/** The first text at one of the keys. */
export function textAt(document: unknown, keys: readonly JsonPath[]): string | undefined {
  return keys.map((key) => jsonAt(document, key)).find((value) => typeof value === 'string');
}

/** Bridge accounts that the genesis of a rollup names; one of the user's own may name none. */
export function bridgesIn(path: string, { bridges }: GenesisKeys): string[] {
  const list = existsSync(path) ? jsonAt(parseJson(readText(path), path), bridges) : [];
  return (Array.isArray(list) ? list : []).flatMap((entry: unknown) => {
    const address = isTable(entry) ? (entry.bech32m ?? entry.bridgeAddress) : entry;
    return typeof address === 'string' ? [address] : [];
  });
}
