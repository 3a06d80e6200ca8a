import { join } from 'node:path';
import { Failure } from '@switchyard/service/failure';
import { programIn } from '../../tools.ts';
import type { InstancePaths } from '../instance/home.ts';
import { type CelestiaLabel, celestiaProgram } from './layout.ts';

/** Directory in which `dev install celestia` puts the programs, for all instances. */
export const celestiaBin = ({ home }: Pick<InstancePaths, 'home'>) => join(home, 'bin');

/**
 * The program that a service of the Celestia network runs: the first on PATH, else in `bin/` of the instance, else in that of all
 * instances. (A path on the command line comes before them.)
 *
 * @throws {Failure} one line with how to get it.
 */
export function findCelestia(label: CelestiaLabel, paths: InstancePaths, env: NodeJS.ProcessEnv): string {
  const found = programIn(celestiaProgram(label), env, [paths.bin, celestiaBin(paths)]);
  if (found !== undefined) return found;
  throw new Failure(
    `celestia and celestia-appd are not here: \`switchyard dev install celestia\` builds them into ${celestiaBin(paths)}; or give their directory with --celestia-path DIRECTORY, or put them on PATH`,
  );
}
