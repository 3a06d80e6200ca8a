import { delimiter, isAbsolute, join } from 'node:path';
import { Failure } from '../../failure.ts';
import { isExecutable } from '../files/files.ts';
import type { InstancePaths } from '../instance/home.ts';
import { type CelestiaLabel, celestiaProgram } from './layout.ts';

/** Where `dev install celestia` puts the programs, for all instances. */
export const celestiaBin = ({ home }: Pick<InstancePaths, 'home'>) => join(home, 'bin');

/**
 * The program that a service of the Celestia network runs: the first on PATH, else in `bin/` of the instance, else in that of all
 * instances. (A path on the command line comes before them.)
 *
 * @throws {Failure} one line with how to get it.
 */
export function findCelestia(label: CelestiaLabel, paths: InstancePaths, env: NodeJS.ProcessEnv): string {
  const name = celestiaProgram(label);
  const directories = (env.PATH ?? '').split(delimiter).filter((directory) => isAbsolute(directory));
  const candidates = [...directories, paths.bin, celestiaBin(paths)].map((directory) => join(directory, name));
  const found = candidates.find(isExecutable);
  if (found !== undefined) return found;
  throw new Failure(
    `celestia and celestia-appd are not here: \`switchyard dev install celestia\` builds them into ${celestiaBin(paths)}; or say where they are with --celestia-path DIRECTORY, or put them on PATH`,
  );
}
