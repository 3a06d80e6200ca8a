import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { type Cli, createCli } from './cli.ts';
import { describeError, errorJson } from './describe-error.ts';
import { ownWords } from './reference-words.ts';
import { asksForJson, runProgram, sharedOptionsLast } from './run.ts';
import { exitWhenWritten, processWorld } from './world.ts';

/** Hidden command with which the scripts of `completion` ask what may stand in place of the last word. */
const COMPLETE = '__complete';

type Build = (cli: Cli, args: readonly string[]) => CommandUnknownOpts | Promise<CommandUnknownOpts>;

/** Runs a program in the real world, and ends the process with its exit status. */
export async function runMain(build: Build, argv: readonly string[]): Promise<void> {
  const args = ownWords(sharedOptionsLast(argv.slice(2)));
  const world = processWorld();
  process.on('uncaughtException', (error) => {
    if (world.takesUnhandled(error)) return;
    const described = describeError(error);
    process.stderr.write(`${asksForJson(args) ? errorJson(described) : described.line}\n`);
    void exitWhenWritten(1);
  });
  // A reader that has seen enough, such as `head`, is no error.
  process.stdout.on('error', () => undefined);
  const [command, , ...words] = argv.slice(2);
  if (command === COMPLETE) {
    const { completions } = await import('./completion/values.ts');
    const program = await build(createCli(world), sharedOptionsLast(words.slice(0, -1)));
    for (const line of await completions(program, words, process.env)) process.stdout.write(`${line}\n`);
    return;
  }
  await exitWhenWritten(await runProgram((cli) => build(cli, args), args, world));
}
