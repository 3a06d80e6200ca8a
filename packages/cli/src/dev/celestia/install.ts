import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '@switchyard/service/failure';
import { runTool } from '../../tools.ts';
import { installProgram } from '../services/install-program.ts';
import { APP_VERSION, NODE_VERSION } from './versions.ts';

/** Plain Node, which the scripts of the repository use too. */
export const BUILDER = fileURLToPath(new URL('../../../bin/build-celestia.mjs', import.meta.url));

export const CELESTIA_PROGRAMS = { celestia: NODE_VERSION, 'celestia-appd': APP_VERSION } as const;

interface InstallOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Builds Celestia's two programs with Go into a directory. An existing one of our tested version stays, so after an
 * interruption it continues.
 *
 * @returns the programs. @throws {Failure}
 */
export async function installCelestia(bin: string, options: InstallOptions): Promise<string[]> {
  const { say, signal } = options;
  const programs: string[] = [];
  for (const [name, version] of Object.entries(CELESTIA_PROGRAMS)) {
    const program = join(bin, name);
    programs.push(program);
    if ((await findVersion(program)) === version) {
      say(`${name} ${version} is there`);
      continue;
    }
    say(`building ${name} ${version} with Go: some minutes the first time`);
    const make = (work: string) => build(name, work, options);
    await installProgram(bin, { name, version, signal, make, readVersion: findVersion });
  }
  return programs;
}

/** Version that a program prints, with a leading `v`; `undefined` if the program is absent or prints none. */
export function findVersion(program: string): Promise<string | undefined> {
  if (!existsSync(program)) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    execFile(program, ['version'], { timeout: 10_000, encoding: 'utf8' }, (_, stdout) => {
      const version = /^(?:Semantic version: )?v?(\d+\.\d+\.\d+\S*)/.exec(stdout.trim())?.[1];
      resolve(version && `v${version}`);
    });
  });
}

async function build(name: string, work: string, { env, say, signal }: InstallOptions): Promise<void> {
  const onLine = (line: string, stream: string) => stream === 'stdout' && say(`${name}: ${line}`);
  const { problem } = await runTool(process.execPath, [BUILDER, name, work], { env, signal, onLine });
  if (problem === undefined) return;
  throw new Failure(signal.aborted ? `${name}: interrupted; run it again to continue` : problem);
}
