import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { Failure, Problems } from '@switchyard/service/failure';
import type { InstancePaths } from '../instance/home.ts';
import type { Instance } from '../instance/instance.ts';

/** Files and directories of an instance that a snapshot holds, relative to it. Logs and other snapshots are not state. */
export function snapshotTops(paths: InstancePaths): string[] {
  return [paths.networks, paths.config, paths.data].map((path) => relative(paths.directory, path));
}

/**
 * Whether a file of a snapshot is a setting, which people edit and which a restore leaves unchanged, and not state:
 * genesis, keys and other starting data of a rollup.
 */
export function isSetting(path: string): boolean {
  return path.endsWith('.toml') && !path.startsWith('data/');
}

/**
 * Makes sure that the whole state is in the places that snapshots copy.
 *
 * @throws {Failure} naming each setting that puts some of it elsewhere.
 */
export function requireStateInside({ base, network, paths }: Instance): void {
  const problems = new Problems();
  const check = (where: string, env: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(env)) {
      if (!/(^|_)db_filepath$/i.test(name) || value === '' || isBelow(paths.data, value)) continue;
      problems.add(
        where,
        `${name.toLowerCase()} = ${value} is outside of ${paths.data}: a snapshot would lack that state`,
      );
    }
  };
  check(paths.base, base);
  for (const { label, env } of network.services) {
    check(`${paths.networks}: networks.${network.name}.services.${label}.env`, env);
  }
  problems.throwIfAny();
  if (existsSync(paths.data) && lstatSync(paths.data).isSymbolicLink()) {
    throw new Failure(`${paths.data}: is a link: snapshots need the directory itself there`);
  }
}

function isBelow(directory: string, path: string): boolean {
  const between = relative(directory, path);
  return between !== '' && between !== '..' && !between.startsWith(`..${sep}`);
}

/** Names of all that is in `snapshots/`, complete or not, without left-overs of an unfinished command. */
export function snapshotNames(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => !name.startsWith('.'))
    .sort();
}
