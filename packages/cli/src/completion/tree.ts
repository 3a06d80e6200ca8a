import type { Argument, CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import type { Dynamic } from './values.ts';

/** Kind of value that may follow an option or be an argument. */
export type Kind = Dynamic | 'file' | 'directory' | 'any' | `words:${string}`;

export interface Choice {
  /** Word as it is typed. */
  readonly word: string;
  readonly description: string;
}

/** A command as completion sees it. */
export interface Place {
  /** Names from the program on, each with a space before it; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly Choice[];
  readonly options: readonly Choice[];
  /** Kind of value that follows each option; switches are absent. */
  readonly values: ReadonlyMap<string, Kind>;
  readonly arguments: readonly Kind[];
  /** The last argument may be repeated. */
  readonly variadic: boolean;
  /** Other spellings of this command's path. */
  readonly aliases: readonly string[];
}

/** Every command of a program, the program first. */
export function placesOf(program: CommandUnknownOpts): Place[] {
  return below(program, '', []);
}

function below(command: CommandUnknownOpts, path: string, aliases: readonly string[]): Place[] {
  const help = command.createHelp();
  // Commander's own help command repeats --help.
  const children = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  const options = help.visibleOptions(command);
  const flags = options.flatMap((option) => flagsOf(option).map((flag): [string, Option] => [flag, option]));
  const args = command.registeredArguments;
  const place: Place = {
    path,
    aliases,
    commands: children.flatMap((child) =>
      [child.name(), ...child.aliases()].map((word) => ({ word, description: firstLine(child.description()) })),
    ),
    options: flags.map(([word, { description }]) => ({ word, description: firstLine(description) })),
    values: new Map(
      flags.filter(([, option]) => takesValue(option)).map(([flag, option]) => [flag, kindOfOption(option)]),
    ),
    arguments: args.map(kindOfArgument),
    variadic: args.at(-1)?.variadic === true,
  };
  return [
    place,
    ...children.flatMap((child) =>
      below(
        child,
        `${path} ${child.name()}`,
        child.aliases().map((alias) => `${path} ${alias}`),
      ),
    ),
  ];
}

const flagsOf = ({ short, long }: Option) => [short, long].filter((flag) => flag !== undefined);
const takesValue = ({ required, optional }: Option) => required || optional;
const firstLine = (text: string) => text.split('\n')[0] ?? '';

const BY_FLAG: Readonly<Record<string, Kind>> = { '--instance': 'instances', '--network': 'networks' };
const BY_NAME: Readonly<Record<string, Kind>> = {
  service: 'services',
  snapshot: 'snapshots',
  address: 'accounts',
  to: 'accounts',
  path: 'file',
  file: 'file',
  directory: 'directory',
};

function kindOfOption({ long, flags, argChoices }: Option): Kind {
  const [, name = ''] = /[<[]([\w-]+)/.exec(flags) ?? [];
  return BY_FLAG[long ?? ''] ?? choices(argChoices) ?? BY_NAME[name] ?? 'any';
}

function kindOfArgument(argument: Argument): Kind {
  return choices(argument.argChoices) ?? BY_NAME[argument.name()] ?? 'any';
}

function choices(list: readonly string[] | undefined): Kind | undefined {
  return list === undefined ? undefined : `words:${list.join(' ')}`;
}
