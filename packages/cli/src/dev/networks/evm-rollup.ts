import { existsSync } from 'node:fs';
import { mapped, object, type Read, text, validItems } from '@switchyard/service/input';
import { Failure } from '../../failure.ts';
import { rollupBuiltin } from '../config/entry.ts';
import { FIELDS } from '../config/known-settings.ts';
import { isRemote, withRole } from '../config/roles.ts';
import { settingOf } from '../config/settings.ts';
import { parseJson, readText } from '../files/files.ts';
import { readValue, whole } from '../files/read-json.ts';
import type { Instance, Network } from '../instance/instance.ts';
import { urlOfListener } from './listener-url.ts';

/** A bridge account that the genesis of an EVM rollup names. */
export interface EvmBridge {
  /** Bech32m. */
  readonly address: string;
  readonly asset: string;
  /** Decimals of the asset. */
  readonly precision: number;
}

/** The EVM rollup of a network, as the files of the instance describe it. */
export interface EvmRollup {
  readonly network: Network;
  /** Whether its sequencer runs elsewhere. */
  readonly remote: boolean;
  /** URL of its JSON-RPC. */
  readonly url: string;
  readonly genesisFile: string;
}

/** Facts in a genesis that the commands need. */
export interface EvmGenesisFacts {
  readonly rollupName: string;
  /** The sequencer height that block 1 is made from. */
  readonly startHeight: bigint;
  readonly bridges: readonly EvmBridge[];
}

/** EVM rollup of an instance that has been read. */
export function evmRollupIn(instance: Instance): EvmRollup | undefined {
  const entry = withRole(instance.network, 'rollup').find((each) => rollupBuiltin(each) === 'evm');
  if (entry === undefined) return undefined;
  const listens = settingOf(instance, entry, FIELDS.evm.httpAddr) ?? FIELDS.evm.httpAddr.fallback ?? '';
  return {
    network: instance.network,
    remote: isRemote(instance.network),
    url: urlOfListener(listens),
    genesisFile: settingOf(instance, entry, FIELDS.evm.genesisFilepath) ?? instance.paths.evmGenesis,
  };
}

/** @throws {Failure} when the file is not there, or has no section of ours. */
export function genesisFacts(path: string): EvmGenesisFacts {
  if (!existsSync(path)) throw new Failure(`${path}: is absent: \`switchyard dev init\` writes the usual one`);
  const facts = readValue(parseJson(readText(path), path), (genesis) => section(genesis.at('config').at('switchyard')));
  if (facts === undefined)
    throw new Failure(`${path}: config.switchyard: expected rollupName and sequencer.startHeight`);
  const { rollupName, sequencer, bridgeAddresses: bridges } = facts;
  return { rollupName, startHeight: sequencer.startHeight, bridges };
}

/** An entry of `bridgeAddresses`. */
export const evmBridge: Read<EvmBridge> = mapped(
  object({ bridgeAddress: text, assetDenom: text, assetPrecision: whole }),
  ({ bridgeAddress: address, assetDenom: asset, assetPrecision: precision }) => ({ address, asset, precision }),
);

const section = object({
  rollupName: text,
  sequencer: object({ startHeight: (input) => input.big() }),
  bridgeAddresses: validItems(evmBridge),
});
