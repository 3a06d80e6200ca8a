import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Cli } from '../../cli.ts';
import { Failure } from '../../failure.ts';

/**
 * Runs another process of the EVM rollup in the foreground, until it ends or the command is stopped.
 *
 * @param what Names it in the error.
 * @throws {Failure} where it fails, which it has explained on the screen.
 */
export async function runEntry(
  world: Cli['world'],
  what: string,
  entry: string,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  if (!existsSync(entry)) throw new Failure(`${entry} is absent: build first, with \`npm run build\``);
  const child = spawn(process.execPath, [entry], { env: { ...world.env, ...settings }, stdio: 'inherit' });
  world.onStop(() => void child.kill('SIGTERM'));
  const status = await new Promise<number | null>((done, failed) => {
    child.once('error', failed);
    child.once('close', done);
  });
  if (status === null) throw new Failure(`${what} ended with a signal`);
  // It has explained itself on the screen.
  if (status !== 0) throw new Failure('', status);
}
