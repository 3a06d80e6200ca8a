import { constants, copyFileSync, existsSync } from 'node:fs';
import { validatorKeyFile } from '@switchyard/network/genesis';
import { jsonIn } from '@switchyard/network/supervisor/http-get';
import { wallDate } from '@switchyard/service';
import { Failure, tried } from '@switchyard/service/failure';
import { PROGRAMS } from '@switchyard/stack/programs';
import { celestiaPaths } from '../celestia/layout.ts';
import { attempt, makeDirectory, type Replacement, readText, replaceFiles } from '../files/files.ts';
import { isTable, lowerKeys, readToml, type TomlTable } from '../files/toml.ts';
import type { InstancePaths } from '../instance/home.ts';
import { findOffset } from '../instance/ports.ts';
import { genesisTime, getRollupGenesisFiles, namesIn } from './genesis-at-start.ts';
import { sequencerGenesisFile } from './genesis-files.ts';
import { getKeys } from './init.ts';
import { baseFile } from './network-text.ts';
import { localNetwork, networksFile } from './networks-file.ts';
import { complete, type KnownSettings, settingsOfNetworks } from './settings.ts';
import { validatorPublicKey, validatorPublicKeyIn } from './validator.ts';

/** A file that will be as `dev init` makes it. */
export interface Rewrite extends Required<Replacement> {
  /** A person changed it: it is kept under another name. */
  readonly backup: boolean;
  /** The stored state no longer fits. */
  readonly needsNewState: boolean;
}

interface Wanted extends Replacement {
  readonly needsNewState?: true;
}

/**
 * Files to write so that `config/` is again as `dev init` makes it, for the names and ports that the network file has.
 * Keys stay, unless they are requested or missing.
 */
export function planConfigReset(paths: InstancePaths, { keys = false, now = wallDate() } = {}): Rewrite[] {
  const settings = complete(settingsOfNetworks(paths));
  const freshKey = keys || !existsSync(paths.validatorKey) ? validatorKeyFile() : undefined;
  const validatorKey =
    freshKey === undefined
      ? validatorPublicKey(paths.validatorKey)
      : validatorPublicKeyIn(freshKey, paths.validatorKey);
  const genesis = (time: Date) => sequencerGenesisFile({ ...settings, validatorPublicKey: validatorKey, time });
  const before = toText(paths.sequencerGenesis);
  const made = genesisTime(paths);
  // A genesis of another time makes a different chain: an unchanged one stays.
  const untouched = made !== undefined && before === genesis(made);
  const wanted: Wanted[] = [
    { path: paths.base, text: baseFile(localNetwork(settings)) },
    ...getRollupGenesisFiles(paths, settings).map(
      (file): Wanted => ({ ...file, text: file.text(), needsNewState: true }),
    ),
    ...(untouched ? [] : [{ path: paths.sequencerGenesis, text: genesis(now), needsNewState: true as const }]),
    ...(freshKey === undefined ? [] : [{ path: paths.validatorKey, text: freshKey, mode: 0o600 }]),
    ...getKeys(paths, settings)
      .filter(({ path }) => keys || !existsSync(path))
      .map((file) => ({ ...file, text: file.text() })),
  ];
  return wanted.flatMap(rewrite);
}

/** Rewrites the network file, from the names and ports that the files in `config/` have. */
export function planNetworksReset(paths: InstancePaths): Rewrite[] {
  const settings = complete(settingsOfConfig(paths));
  return rewrite({ path: paths.networks, text: networksFile(settings) });
}

/** Networks that were added, which a new file does not have. A file that cannot be read names none. */
export function otherNetworks(paths: InstancePaths): string[] {
  const networks = parsedOrNothing(paths.networks).networks;
  return Object.keys(isTable(networks) ? networks : {}).filter((name) => name.toLowerCase() !== 'local');
}

/** A reset repairs a broken file. */
const parsedOrNothing = (path: string): TomlTable => tried(Failure, {}, () => readToml(path));

function rewrite({ path, text, mode = 0o644, needsNewState }: Wanted): Rewrite[] {
  const before = toText(path);
  if (before === text) return [];
  return [{ path, text, mode, backup: before !== undefined, needsNewState: needsNewState === true }];
}

function settingsOfConfig(paths: InstancePaths): KnownSettings {
  const [evm, rollup, sequencer] = [paths.evmGenesis, paths.rollupGenesis, paths.sequencerGenesis].map((path) =>
    namesIn(jsonIn(toText(path) ?? '')),
  );
  const settings = lowerKeys(parsedOrNothing(paths.base), paths.base);
  const composer = settings.svc_composer_grpc_addr ?? settings.astria_composer_grpc_addr;
  return {
    ...{ ...evm, ...rollup, ...sequencer },
    offset: findOffset(Number(/:(\d+)$/.exec(String(composer))?.[1]), PROGRAMS.composer, 'collector'),
    rollups: [
      ...(existsSync(paths.rollupGenesis) ? (['messenger'] as const) : []),
      ...(existsSync(paths.evmGenesis) ? (['evm'] as const) : []),
    ],
    layer: existsSync(celestiaPaths(paths).bridgeKey)
      ? 'celestia'
      : settings.svc_da_db_filepath !== undefined
        ? 'local'
        : 'none',
  };
}

const toText = (path: string) => (existsSync(path) ? readText(path) : undefined);

/**
 * Writes the plan, all or nothing, after the copies.
 *
 * @returns The copies of the old files.
 * @throws {Failure}
 */
export function applyRewrites(paths: InstancePaths, rewrites: readonly Rewrite[], now = wallDate()): string[] {
  makeDirectory(paths.config);
  const stamp = now
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replace(/[-:]/g, '')
    .replace('T', '-');
  const backups = rewrites
    .filter(({ backup }) => backup)
    .map(({ path }) => ({ path, copy: freeName(`${path}.${stamp}.bak`) }));
  for (const { path, copy } of backups) {
    // The mode is copied too, so a key stays as closed as before.
    attempt(copy, 'written', () => copyFileSync(path, copy, constants.COPYFILE_EXCL));
  }
  replaceFiles(rewrites.map(({ path, text, mode, backup }) => ({ path, text, ...(backup ? {} : { mode }) })));
  return backups.map(({ copy }) => copy);
}

function freeName(path: string): string {
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? path : `${path}.${n}`;
    if (!existsSync(name)) return name;
  }
}
