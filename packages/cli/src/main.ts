import type { Command } from 'commander';
import type { Cli } from './cli.ts';
import { describeError } from './describe-error.ts';
import { runProgram } from './run.ts';
import { processWorld } from './world.ts';

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
  process.exit(await runProgram((cli) => build(cli, args), args, processWorld()));
}
