import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { rollupGenesisFile } from '@switchyard/network/genesis';
import { wallDate } from '@switchyard/service';
import { rollupGenesisPath, sequencerGenesisPath } from '../config/check/places.ts';
import { isOfBase, withRole } from '../config/roles.ts';
import { readText, replaceFile } from '../files/files.ts';
import { readJsonFile } from '../files/read-json.ts';
import type { InstancePaths } from '../instance/home.ts';
import type { Instance } from '../instance/instance.ts';
import { contentsOf } from '../state/remove.ts';
import { type DerivedFile, isDerived, recordDerived } from './derived-files.ts';
import { evmGenesisOf, sequencerGenesisFile } from './genesis-files.ts';
import { complete, type InstanceSettings, settingsFor, settingsOfNetworks } from './settings.ts';
import { hasEvm, hasMessenger, messengerNameOf } from './templates.ts';
import { validatorPublicKey } from './validator.ts';

/** The genesis files of an instance, from its names. That of the sequencer needs the validator's key file. */
export function genesisFilesOf(paths: InstancePaths, settings: InstanceSettings, now = wallDate()): DerivedFile[] {
  // A genesis of another time is another chain.
  const time = genesisTime(paths) ?? now;
  const sequencer = () =>
    sequencerGenesisFile({ ...settings, validatorPublicKey: validatorPublicKey(paths.validatorKey), time });
  return [
    ...rollupGenesisFilesOf(paths, settings),
    ...(existsSync(paths.validatorKey) ? [{ path: paths.sequencerGenesis, text: sequencer }] : []),
  ];
}

/** The genesis files of the rollups of an instance, from its names. */
export function rollupGenesisFilesOf(paths: InstancePaths, settings: InstanceSettings): DerivedFile[] {
  const { template } = settings;
  const messenger = () => rollupGenesisFile({ ...settings, rollupName: messengerNameOf(settings) });
  return [
    ...(hasMessenger(template) ? [{ path: paths.rollupGenesis, text: messenger }] : []),
    ...(hasEvm(template) ? [{ path: paths.evmGenesis, text: () => evmGenesisOf(settings) }] : []),
  ];
}

/** When the genesis of the sequencer was made; `undefined` where there is none that states it. */
export function genesisTime({ sequencerGenesis }: InstancePaths): Date | undefined {
  const time = readJsonFile(sequencerGenesis, (genesis) => new Date(genesis.at('genesis_time').text()));
  return time === undefined || Number.isNaN(time.getTime()) ? undefined : time;
}

/** Records the genesis files that are as the names of the instance make them. */
export function recordGenesis(paths: InstancePaths): void {
  recordDerived(paths, genesisFilesOf(paths, complete(settingsOfNetworks(paths))));
}

/**
 * The genesis files that the next start derives: before the first block, those that are absent, and those that were
 * derived from other names or another validator key. Once there is state, a new one would begin another chain.
 */
export function pendingGenesis(instance: Instance, now?: Date): DerivedFile[] {
  const { paths, network } = instance;
  if (!isOfBase(network) || contentsOf(paths.data).length > 0 || !existsSync(paths.validatorKey)) return [];
  const read = new Set([
    sequencerGenesisPath(instance),
    ...withRole(network, 'rollup').map((entry) => rollupGenesisPath(instance, entry)),
  ]);
  return genesisFilesOf(paths, settingsFor(paths, {}), now).filter(
    ({ path, text }) => read.has(path) && (!existsSync(path) || (isDerived(paths, path) && readText(path) !== text())),
  );
}

/** Derives again, for an instance whose names or rollups change, what was derived and has no blocks yet. */
export function renewDerivedGenesis(paths: InstancePaths, settings: InstanceSettings, now?: Date): void {
  if (contentsOf(paths.data).length > 0) return;
  for (const { path, text } of genesisFilesOf(paths, settings, now))
    if (isDerived(paths, path)) replaceFile(path, text(), 0o644);
}

/** Writes them. @returns Lines on what was written. @throws {Failure} */
export function deriveGenesis(instance: Instance, now?: Date): string[] {
  const { paths, network } = instance;
  const lines = pendingGenesis(instance, now).map(({ path, text }) => {
    const why = existsSync(path) ? 'was derived from other values' : 'was absent';
    replaceFile(path, text(), 0o644);
    return `${relative(paths.directory, path)} ${why}: derived from networks.${network.name}`;
  });
  if (isOfBase(network)) recordGenesis(paths);
  return lines;
}
