import { type Command, CommanderError } from 'commander';
import { type Cli, createCli, type World } from './cli.ts';
import { describeError } from './describe-error.ts';
import { STATUS } from './failure.ts';

/**
 * Runs one command line from its arguments to its exit status. Whatever goes wrong is one line on stderr; a stack
 * trace never is.
 */
export async function runProgram(
  build: (cli: Cli) => Command | Promise<Command>,
  args: readonly string[],
  world: World,
): Promise<number> {
  const cli = createCli(world);
  const program = await build(cli);
  prepare(program, [], world);
  program.hook('preAction', (_, action) => {
    cli.json = action.opts().json === true;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : STATUS.usage;
    const { line, status } = describeError(error);
    world.stderr.write(`${line}\n`);
    return status;
  }
}

/** Applies to a whole tree what Commander only passes on to some commands. */
function prepare(command: Command, parents: readonly string[], world: World): void {
  const path = [...parents, command.name()];
  command
    .exitOverride()
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      writeErr: (text) => world.stderr.write(text),
      outputError: (text) => world.stderr.write(`${oneLine(text)}: see \`${path.join(' ')} --help\`\n`),
    });
  for (const child of command.commands) prepare(child, path, world);
}

/** Commander's message without its prefix; what follows a `=` may be a key and is not repeated. */
function oneLine(text: string): string {
  return text
    .replace(/^error: /, '')
    .replace(/(unknown option '--?[^=']*)=[^']*'/, "$1'")
    .trim()
    .replace(/\s*\n\s*/g, ' ');
}
