import { existsSync } from 'node:fs';
import { Failure } from '@switchyard/service/failure';
import { mapped, object, text, validItems } from '@switchyard/service/input';
import { readValue, whole } from '@switchyard/service/lenient';
import { rollupBuiltin } from '../config/entry.ts';
import { FIELDS } from '../config/known-settings.ts';
import { isRemote, withRole } from '../config/roles.ts';
import { findSetting } from '../config/settings.ts';
import { parseJson, readText } from '../files/files.ts';
import type { Instance } from '../instance/instance.ts';
import { urlOfListener } from './listener-url.ts';

/** A bridge account that the genesis of an EVM rollup names: in Bech32m, with the decimals of its asset. */
export type EvmBridge = ReturnType<typeof evmBridge>;

/** The EVM rollup of a network, as the files of the instance describe it. */
export type EvmRollup = Readonly<NonNullable<ReturnType<typeof evmRollupIn>>>;

/** EVM rollup of an instance that has been read. */
export function evmRollupIn(instance: Instance) {
  const entry = withRole(instance.network, 'rollup').find((each) => rollupBuiltin(each) === 'evm');
  if (entry === undefined) return undefined;
  const listens = findSetting(instance, entry, FIELDS.evm.httpAddr) ?? FIELDS.evm.httpAddr.fallback ?? '';
  return {
    network: instance.network,
    /** Whether its sequencer runs elsewhere. */
    remote: isRemote(instance.network),
    /** URL of its JSON-RPC. */
    url: urlOfListener(listens),
    genesisFile: findSetting(instance, entry, FIELDS.evm.genesisFilepath) ?? instance.paths.evmGenesis,
  };
}

/** Facts in a genesis that the commands need. @throws {Failure} when the file is not there, or has no section of ours. */
export function genesisFacts(path: string) {
  if (!existsSync(path)) throw new Failure(`${path}: is absent: \`switchyard dev init\` writes the usual one`);
  const facts = readValue(parseJson(readText(path), path), (genesis) => section(genesis.at('config').at('switchyard')));
  if (facts === undefined)
    throw new Failure(`${path}: config.switchyard: expected rollupName and sequencer.startHeight`);
  const { rollupName, sequencer, bridgeAddresses: bridges } = facts;
  // Block 1 is made from that height of the sequencer.
  return { rollupName, startHeight: sequencer.startHeight, bridges };
}

/** An entry of `bridgeAddresses`. */
export const evmBridge = mapped(
  object({ bridgeAddress: text, assetDenom: text, assetPrecision: whole }),
  ({ bridgeAddress: address, assetDenom: asset, assetPrecision: precision }) => ({ address, asset, precision }),
);

const section = object({
  rollupName: text,
  sequencer: object({ startHeight: (input) => input.big() }),
  bridgeAddresses: validItems(evmBridge),
});
