import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { jsonIn } from '@switchyard/network/supervisor/http-get';
import { wallDate } from '@switchyard/service';
import { readJsonFile } from '@switchyard/service/lenient';
import { GENESIS_KEYS, genesisPathsIn, SEQUENCER_GENESIS, textAt } from '../config/genesis.ts';
import { isOfBase } from '../config/roles.ts';
import { type NewFile, readText, replaceFile } from '../files/files.ts';
import type { InstancePaths } from '../instance/home.ts';
import type { Instance } from '../instance/instance.ts';
import { getContents } from '../state/remove.ts';
import { rollupGenesis, sequencerGenesisFile } from './genesis-files.ts';
import { complete, type InstanceSettings, type KnownSettings, settingsFor, settingsOfNetworks } from './settings.ts';
import { inOrder, type Naming } from './templates.ts';
import { validatorPublicKey } from './validator.ts';

/** The genesis files of an instance, from its names. The text of the sequencer's needs the validator's key file. */
export function getGenesisFiles(
  paths: InstancePaths,
  settings: InstanceSettings,
  now = wallDate(),
  getKey = () => validatorPublicKey(paths.validatorKey),
): NewFile[] {
  // A genesis of another time makes a different chain.
  const time = genesisTime(paths) ?? now;
  const sequencer = () => sequencerGenesisFile({ ...settings, validatorPublicKey: getKey(), time });
  return [...getRollupGenesisFiles(paths, settings), { path: paths.sequencerGenesis, text: sequencer }];
}

/** The genesis files of the rollups of an instance, from its names. */
export function getRollupGenesisFiles(paths: InstancePaths, settings: InstanceSettings): NewFile[] {
  return inOrder(settings.rollups).map((rollup) => ({
    path: rollup === 'evm' ? paths.evmGenesis : paths.rollupGenesis,
    text: () => rollupGenesis(rollup, settings),
  }));
}

/** When the genesis of the sequencer was made; `undefined` if there is none that states it. */
export function genesisTime({ sequencerGenesis }: InstancePaths): Date | undefined {
  const time = readJsonFile(sequencerGenesis, (genesis) => new Date(genesis.at('genesis_time').text()));
  return time === undefined || Number.isNaN(time.getTime()) ? undefined : time;
}

/** Names that a genesis file states. */
export function namesIn(document: unknown): KnownSettings {
  const { messenger, evm } = GENESIS_KEYS;
  const assets = [messenger, evm].map(({ assets: { at, key } }) => [...at, 0, key]);
  const names = {
    // A rollup has a chain id of its own if the sequencer has its.
    chainId: textAt(document, [...messenger.chainId, ...evm.chainId, ...SEQUENCER_GENESIS.chainId]),
    nativeDenom: textAt(document, [...assets, SEQUENCER_GENESIS.asset]),
    rollupName: textAt(document, [...messenger.rollupName, ...evm.rollupName]),
  };
  return Object.fromEntries(Object.entries(names).filter(([, name]) => name !== undefined));
}

/**
 * Whether a genesis is the text that this tool makes of the names and the validator that it states itself. Such a file follows the
 * names of the network until the first block; a file edited otherwise belongs to the user.
 */
export function isDerived(paths: InstancePaths, path: string): boolean {
  if (!existsSync(path)) return false;
  const before = readText(path);
  const document = jsonIn(before);
  const settings = complete({ ...settingsOfNetworks(paths), ...namesIn(document) });
  const key = textAt(document, [['validators', 0, 'pub_key', 'value']]) ?? '';
  // The accounts of the sequencer go with the rollups of that time.
  const sets: Naming['rollups'][] = path === paths.sequencerGenesis ? [[], ['evm']] : [settings.rollups];
  return sets.some((rollups) => {
    const files = getGenesisFiles(paths, { ...settings, rollups }, undefined, () => key);
    return files.some((file) => file.path === path && file.text() === before);
  });
}

/**
 * The genesis files that the next start derives: before the first block, missing ones, and ones
 * derived from other names or another validator key. Once there is state, a new one would begin another chain.
 */
export function pendingGenesis(instance: Instance, now?: Date): NewFile[] {
  const { paths, network } = instance;
  if (!isOfBase(network) || getContents(paths.data).length > 0 || !existsSync(paths.validatorKey)) return [];
  const read = new Set(genesisPathsIn(instance));
  return getGenesisFiles(paths, settingsFor(paths, {}), now).filter(
    ({ path, text }) => read.has(path) && (!existsSync(path) || (isDerived(paths, path) && readText(path) !== text())),
  );
}

/** Writes them. @returns Lines on the written files. @throws {Failure} */
export function deriveGenesis(instance: Instance, now?: Date): string[] {
  const { paths, network } = instance;
  return pendingGenesis(instance, now).map(({ path, text }) => {
    const why = existsSync(path) ? 'was derived from other values' : 'was absent';
    replaceFile(path, text(), 0o644);
    return `${relative(paths.directory, path)} ${why}: derived from networks.${network.name}`;
  });
}
