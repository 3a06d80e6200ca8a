import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Failure } from '@switchyard/service/failure';
import type { Cli } from '../../cli.ts';

/** Settings of a process by their variables: a text of the command, or the option that gave it and its text. */
export type GivenSettings = Readonly<Record<string, string | readonly [option: string, text: string] | undefined>>;

/** Text of an option; nothing if it was not given. */
export function fromOption(option: string, value: string | number | bigint | undefined): GivenSettings[string] {
  return value === undefined ? undefined : [option, String(value)];
}

/**
 * Runs another process of the EVM rollup in the foreground, until it ends or the command is stopped.
 *
 * @param what Names it in the error.
 * @throws {Failure} if it fails, which it has explained on the screen.
 */
export async function runEntry(world: Cli['world'], what: string, entry: string, given: GivenSettings): Promise<void> {
  if (!existsSync(entry)) throw new Failure(`${entry} is absent: build first, with \`npm run build\``);
  const { optionNames } = await import('@switchyard/service/settings');
  const settings: Record<string, string> = {};
  const options: Record<string, string> = {};
  for (const [variable, each] of Object.entries(given)) {
    if (each === undefined) continue;
    const [option, text] = typeof each === 'string' ? [undefined, each] : each;
    settings[variable] = text;
    // A refusal of the process then names the option that was typed.
    if (option !== undefined) options[variable] = option;
  }
  const env = { ...world.env, ...settings, ...optionNames(options) };
  const child = spawn(process.execPath, [entry], { env, stdio: 'inherit' });
  world.onStop(() => void child.kill('SIGTERM'));
  const status = await new Promise<number | null>((done, failed) => {
    child.once('error', failed);
    child.once('close', done);
  });
  if (status === null) throw new Failure(`${what} ended with a signal`);
  // It has explained itself on the screen.
  if (status !== 0) throw new Failure('', undefined, status);
}
