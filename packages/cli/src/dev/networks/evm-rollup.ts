import { existsSync } from 'node:fs';
import { mapped, object, text, validItems } from '@switchyard/service/input';
import { Failure } from '../../failure.ts';
import { isRemote, rollupBuiltin, withRole } from '../config/roles.ts';
import { settingOf } from '../config/settings.ts';
import { parseJson, readText } from '../files/files.ts';
import { readValue, whole } from '../files/read-json.ts';
import type { InstancePaths } from '../instance/home.ts';
import { type Instance, type Network, readInstance } from '../instance/instance.ts';
import { PORTS } from '../instance/ports.ts';
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
  /** Of its JSON-RPC. */
  readonly url: string;
  readonly genesisFile: string;
}

/** What the commands need of a genesis. */
export interface EvmGenesisFacts {
  readonly rollupName: string;
  /** The sequencer height that block 1 is made from. */
  readonly startHeight: bigint;
  readonly bridges: readonly EvmBridge[];
}

/**
 * The EVM rollup of a network of an instance; `undefined` when it has none.
 *
 * @throws {Failure} when there is no such instance or network.
 */
export function evmRollupOf(paths: InstancePaths, network: string, env: NodeJS.ProcessEnv): EvmRollup | undefined {
  return evmRollupIn(readInstance(paths, network, env));
}

/** The same of an instance that has been read. */
export function evmRollupIn(instance: Instance): EvmRollup | undefined {
  const entry = withRole(instance.network, 'rollup').find((each) => rollupBuiltin(each) === 'evm');
  if (entry === undefined) return undefined;
  const listens = settingOf(instance, entry, 'SVC_EVM_HTTP_ADDR') ?? `127.0.0.1:${PORTS.evmHttp}`;
  return {
    network: instance.network,
    remote: isRemote(instance.network),
    url: urlOfListener(listens),
    genesisFile: settingOf(instance, entry, 'SVC_EVM_GENESIS_FILEPATH') ?? instance.paths.evmGenesis,
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

const section = object({
  rollupName: text,
  sequencer: object({ startHeight: (input) => input.big() }),
  bridgeAddresses: validItems(
    mapped(
      object({ bridgeAddress: text, assetDenom: text, assetPrecision: whole }),
      ({ bridgeAddress: address, assetDenom: asset, assetPrecision: precision }) => ({ address, asset, precision }),
    ),
  ),
});
