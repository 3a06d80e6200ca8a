import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { Failure } from '@switchyard/service/failure';
import { programIn } from '../../tools.ts';
import { isExecutable } from '../files/files.ts';
import { type InstancePaths, instanceArguments } from '../instance/home.ts';

/** Version with which we are tested. */
export const COMET_VERSION = '0.38.26';

const VARIABLE = 'SWITCHYARD_COMETBFT';

/**
 * The program `cometbft`: from the environment, else the first on PATH, else the one in the instance's `bin/`.
 * (A path on the command line comes before all of them, as for every service.)
 *
 * @throws {Failure} one line with how to get it.
 */
export function findCometbft(paths: InstancePaths, env: NodeJS.ProcessEnv): string {
  const named = env[VARIABLE] ?? '';
  if (named !== '') {
    if (isExecutable(named)) return resolve(named);
    throw new Failure(`${VARIABLE}=${named}: expected the path of a program, and there is none`);
  }
  const found = programIn('cometbft', env, [paths.bin]);
  if (found !== undefined) return found;
  throw new Failure(
    `cometbft ${COMET_VERSION} is not here: \`switchyard dev install cometbft${instanceArguments(paths)}\` gets it; or give its path with --cometbft-path FILE or ${VARIABLE}, or put it on PATH`,
  );
}

/** Which versions speak our ABCI. */
const SERIES = /^0\.38\./;

/** @throws {Failure} when a program is no CometBFT of a version that works with ours. */
export async function requireVersion(program: string): Promise<void> {
  const version = await toVersion(program);
  if (SERIES.test(version)) return;
  throw new Failure(
    `${program}: expected cometbft 0.38 (tried with ${COMET_VERSION}), got ${version}: name another with --cometbft-path FILE or ${VARIABLE}`,
  );
}

/** Version that a program prints as CometBFT does. @throws {Failure} when it prints none. */
export function toVersion(program: string): Promise<string> {
  return new Promise((done, reject) => {
    execFile(program, ['version'], { timeout: 10_000, encoding: 'utf8' }, (error, stdout) => {
      const version = /^v?(\d+\.\d+\.\d+[^\s+]*)/.exec(stdout.trim())?.[1];
      if (error === null && version !== undefined) return done(version);
      const got =
        stdout.trim() === ''
          ? (error?.message.split('\n')[0] ?? 'nothing')
          : JSON.stringify(stdout.trim().slice(0, 80));
      reject(new Failure(`${program}: expected a version from \`${program} version\`, got ${got}`));
    });
  });
}
