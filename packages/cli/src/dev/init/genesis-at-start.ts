import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { wallDate } from '@switchyard/service';
import { rollupGenesisPath, sequencerGenesisPath } from '../config/check/places.ts';
import { isOfBase, withRole } from '../config/roles.ts';
import { writeNewFile } from '../files/files.ts';
import type { InstancePaths } from '../instance/home.ts';
import type { Instance } from '../instance/instance.ts';
import { contentsOf } from '../state/remove.ts';
import { evmGenesisOf, rollupGenesisFile, sequencerGenesisFile } from './genesis-files.ts';
import { type InstanceSettings, settingsFor } from './settings.ts';
import { hasEvm, hasMessenger } from './templates.ts';
import { validatorPublicKey } from './validator.ts';

export interface GenesisFile {
  readonly path: string;
  text(): string;
}

/** The genesis files of an instance, from its names. The sequencer's needs the validator's key file. */
export function genesisFilesOf(paths: InstancePaths, settings: InstanceSettings, now: Date): GenesisFile[] {
  const { template } = settings;
  const sequencer = () =>
    sequencerGenesisFile({ ...settings, validatorPublicKey: validatorPublicKey(paths.validatorKey), time: now });
  return [
    ...(hasMessenger(template) ? [{ path: paths.rollupGenesis, text: () => rollupGenesisFile(settings) }] : []),
    ...(hasEvm(template) ? [{ path: paths.evmGenesis, text: () => evmGenesisOf(settings) }] : []),
    { path: paths.sequencerGenesis, text: sequencer },
  ];
}

/**
 * Derives the genesis files that an instance lacks before its first block from the names of the network. Once there is
 * state, a file that is absent is lost, and a new one would begin another chain.
 *
 * @returns Lines on what was written.
 */
export function writeMissingGenesis(instance: Instance, now = wallDate()): string[] {
  const { paths, network } = instance;
  if (!isOfBase(network) || contentsOf(paths.data).length > 0 || !existsSync(paths.validatorKey)) return [];
  const read = new Set([
    sequencerGenesisPath(instance),
    ...withRole(network, 'rollup').map((entry) => rollupGenesisPath(instance, entry)),
  ]);
  return genesisFilesOf(paths, settingsFor(paths, {}), now).flatMap(({ path, text }) => {
    if (!read.has(path) || existsSync(path)) return [];
    writeNewFile(path, text(), 0o644);
    return [`${relative(paths.directory, path)} was absent: derived from networks.${network.name}`];
  });
}
