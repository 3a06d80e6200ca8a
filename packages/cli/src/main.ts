import type { Command } from 'commander';
import type { Cli } from './cli.ts';
import { describeError } from './describe-error.ts';
import { runProgram } from './run.ts';
import { processWorld } from './world.ts';

/** What the scripts of `completion` call for names that only this machine knows; not for people. */
const COMPLETE = '__complete';

type Build = (cli: Cli, args: readonly string[]) => Command | Promise<Command>;

/** Runs a program in the real world, and ends the process with its exit status. */
export async function runMain(build: Build, argv: readonly string[]): Promise<void> {
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${describeError(error).line}\n`);
    process.exit(1);
  });
  // A reader that has seen enough, such as `head`, is no error.
  process.stdout.on('error', () => undefined);
  const args = argv.slice(2);
  if (args[0] === COMPLETE) {
    const { completions } = await import('./completion/values.ts');
    for (const line of await completions(args.slice(1), process.env)) process.stdout.write(`${line}\n`);
    return;
  }
  process.exit(await runProgram((cli) => build(cli, args), args, processWorld()));
}
