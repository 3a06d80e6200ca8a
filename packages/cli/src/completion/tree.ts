import type { Argument, CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { TEMPLATES } from '../dev/init/templates.ts';

/** Values that only this machine knows. */
export type Dynamic = 'instances' | 'networks' | 'services' | 'snapshots' | 'accounts';

/** Kind of value that may follow an option or be an argument. */
type Kind = Dynamic | 'file' | 'directory' | 'any';

/** Expectation of one place of a command line: words, each with a description, or values of a kind. */
export type Expected = Kind | readonly (readonly [word: string, description: string])[];

/** Finds the candidates for `current`, after these words. Some shells split `--home=x` into three words. */
export function expectedAfter(program: CommandUnknownOpts, before: readonly string[], current: string): Expected {
  let at = program;
  let count = 0;
  let isOver = false;
  let value: Expected | undefined;
  for (const word of before.filter((each) => each !== '=')) {
    const isOption = !isOver && word.startsWith('-');
    const child = getChild(at, word);
    if (value !== undefined) value = undefined;
    else if (isOption && word === '--') isOver = true;
    else if (isOption) value = word.includes('=') ? undefined : afterOption(at, word);
    else if (child === undefined) count += 1;
    else at = child;
  }
  if (value !== undefined) return value;
  const [, option] = (!isOver && /^(--[^=]*)=/.exec(current)) || [];
  if (option !== undefined) return afterOption(at, option) ?? 'any';
  if (!isOver && current.startsWith('-'))
    return getOptions(at).map(([flag, { description }]) => described(flag, description));
  const commands = getCommands(at).flatMap((child) =>
    [child.name(), ...child.aliases()].map((word) => described(word, child.description())),
  );
  return commands.length > 0 ? commands : getArgument(at, count);
}

const described = (word: string, text: string) => [word, text.split('\n')[0] ?? ''] as const;

/** Commander's own help command repeats --help. */
const getCommands = (command: CommandUnknownOpts) =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');

const getChild = (command: CommandUnknownOpts, word: string) =>
  getCommands(command).find((child) => [child.name(), ...child.aliases()].includes(word));

const getOptions = (command: CommandUnknownOpts) =>
  command
    .createHelp()
    .visibleOptions(command)
    .flatMap((option) =>
      [option.short, option.long].flatMap((flag) => (flag === undefined ? [] : [[flag, option] as const])),
    );

/** Expectation after an option; none after a switch. Options of most commands may stand before them. */
function afterOption(command: CommandUnknownOpts, flag: string): Expected | undefined {
  const option = getOptions(command).find(([name]) => name === flag)?.[1];
  if (option === undefined) return BY_FLAG[flag];
  return option?.required || option?.optional ? kindOfOption(option) : undefined;
}

function getArgument({ registeredArguments }: CommandUnknownOpts, index: number): Expected {
  const last = registeredArguments.at(-1);
  const argument: Argument | undefined = registeredArguments[index] ?? (last?.variadic ? last : undefined);
  if (argument === undefined) return 'any';
  return choices(argument.argChoices) ?? BY_NAME[argument.name()] ?? 'any';
}

const BY_FLAG: Readonly<Record<string, Expected>> = {
  '--template': Object.entries(TEMPLATES),
  '--instance': 'instances',
  '--home': 'directory',
  '--network': 'networks',
};
const BY_NAME: Readonly<Record<string, Kind>> = {
  service: 'services',
  snapshot: 'snapshots',
  address: 'accounts',
  to: 'accounts',
  path: 'file',
  file: 'file',
  directory: 'directory',
};

function kindOfOption({ long, flags, argChoices }: Option): Expected {
  const [, name = ''] = /[<[]([\w-]+)/.exec(flags) ?? [];
  return choices(argChoices) ?? BY_FLAG[long ?? ''] ?? BY_NAME[name] ?? 'any';
}

const choices = (list: readonly string[] | undefined): Expected | undefined => list?.map((word) => [word, ''] as const);
