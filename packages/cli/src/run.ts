import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { Failure, STATUS } from '@switchyard/service/failure';
import { type Cli, createCli, type World } from './cli.ts';
import { describeError, type ErrorDescription, errorJson } from './describe-error.ts';
import { printableLines } from './print.ts';
import { adviceOn } from './reference-words.ts';

/**
 * Runs one command line from its arguments to its exit status. Every failure is one line on stderr, with
 * `--json` as JSON; a stack trace never is.
 */
export async function runProgram(
  build: (cli: Cli) => CommandUnknownOpts | Promise<CommandUnknownOpts>,
  args: readonly string[],
  world: World,
): Promise<number> {
  const cli = createCli(world);
  cli.json = asksForJson(args);
  const fail = (error: ErrorDescription): number => {
    world.stderr.write(`${cli.json ? errorJson(error) : printableLines(error.line)}\n`);
    return error.status;
  };
  try {
    const program = await build(cli);
    prepare(program, [], world, (line) => void fail({ line, status: STATUS.usage, code: 'usage' }));
    program.hook('preAction', (_, action) => {
      cli.json = action.opts().json === true;
    });
    await program.parseAsync(withoutHelpOfUnknown(program, args), { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : STATUS.usage;
    if (error instanceof Failure && error.message === '') return error.status;
    const { nextStep } = cli;
    const described = describeError(error, typeof nextStep === 'function' ? await nextStep() : nextStep);
    if (!/\b(asset|account) [0-9a-f]{40}/.test(described.line)) return fail(described);
    const { inWords } = await import('@switchyard/protocol/values');
    // Assets that can be meant are those of the command line, and the usual ones.
    return fail({ ...described, line: inWords(described.line, [...args, 'nria', 'ntia', 'utia'], getPrefix(args)) });
  }
}

const getPrefix = (args: readonly string[]) =>
  args.includes('--prefix') ? args[args.indexOf('--prefix') + 1] : undefined;

/** Options of most commands, and whether a value follows. */
const SHARED: ReadonlyMap<string, boolean> = new Map([
  ['--instance', true],
  ['--home', true],
  ['--json', false],
]);

/** Options that are typed before the command belong to it: `rollup-cli --instance chat query texts`. */
export function sharedOptionsLast(args: readonly string[]): string[] {
  let first = 0;
  for (let arg = args[0]; arg !== undefined; arg = args[first]) {
    const [name = '', value] = arg.split('=', 2);
    const takesValue = SHARED.get(name);
    if (takesValue === undefined) break;
    first += takesValue && value === undefined ? 2 : 1;
  }
  if (first === 0 || first >= args.length) return [...args];
  const rest = args.slice(first);
  const end = rest.indexOf('--');
  const at = end === -1 ? rest.length : end;
  return [...rest.slice(0, at), ...args.slice(0, first), ...rest.slice(at)];
}

/** Without the option for help if a command is named that does not exist: Commander would show the help of its group. */
function withoutHelpOfUnknown(program: CommandUnknownOpts, args: readonly string[]): string[] {
  let group = program;
  for (const word of args) {
    if (word.startsWith('-') || group.commands.length === 0) return [...args];
    const child = group.commands.find((each) => [each.name(), ...each.aliases()].includes(word));
    // A group with `get` passes other words to that.
    if (child === undefined && group.commands.some((each) => each.name() === 'get')) return [...args];
    if (child === undefined) return args.filter((arg) => arg !== '--help' && arg !== '-h');
    group = child;
  }
  return [...args];
}

/** Looks for `--json` without parsing the arguments, since they may be at fault. */
export function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}

/** Applies settings to a whole tree that Commander only passes on to some commands. */
function prepare(command: CommandUnknownOpts, parents: readonly string[], world: World, fail: (line: string) => void) {
  const path = [...parents, command.name()];
  command
    .exitOverride()
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      writeErr: (text) => world.stderr.write(text),
      outputError: (text) => fail(`${oneLine(text)}${adviceOn(text)}: see \`${path.join(' ')} --help\``),
    });
  // Without a subcommand, a group shows its help as for --help: on standard output, and not as a mistake.
  const showHelp = command.help.bind(command);
  command.help = () => showHelp();
  for (const child of command.commands) prepare(child, path, world, fail);
}

/** Commander's message without its prefix; text behind a `=` may be a key and is not repeated. */
function oneLine(text: string): string {
  return text
    .replace(/^error: /, '')
    .replace(/(unknown option '--?[^=']*)=[^']*'/, "$1'")
    .trim()
    .replace(/\s*\n\s*/g, ' ')
    .replace(/\.$/, '');
}
