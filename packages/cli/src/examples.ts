import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';

/** A command that shows in its help how it is called. */
class CommandWithExamples extends Command {
  /** Arguments of each example, without the name of the command. */
  readonly examples: readonly string[];

  constructor(name: string, examples: readonly string[]) {
    super(name);
    this.examples = examples;
    // In a narrow terminal, Commander's own minimum leaves all descriptions in one line.
    this.configureHelp({ minWidthToWrap: 20 });
    this.addHelpText('after', () => helpText(this));
  }
}

/** A group shows one example of this many of its commands. */
const MAX_OF_GROUP = 3;

/** @param examples Arguments that follow the name; a group without its own shows those of its first commands. */
export function commandWithExamples(name: string, examples: readonly string[] = []): Command {
  return new CommandWithExamples(name, examples);
}

/** Complete command lines, as the help of a command shows them. */
export function getExamples(command: CommandUnknownOpts): string[] {
  const path = getPath(command);
  return getArguments(command).map((example) => [...path, example].filter(Boolean).join(' '));
}

function getArguments(command: CommandUnknownOpts): string[] {
  const own = command instanceof CommandWithExamples ? command.examples : [];
  if (own.length > 0) return [...own];
  return command.commands.slice(0, MAX_OF_GROUP).flatMap((child) =>
    getArguments(child)
      .slice(0, 1)
      .map((example) => `${child.name()} ${example}`.trim()),
  );
}

function helpText(command: CommandUnknownOpts): string {
  const lines = getExamples(command);
  return lines.length === 0 ? '' : ['', lines.length === 1 ? 'Example:' : 'Examples:', ...lines.map(indent)].join('\n');
}

const indent = (line: string) => `  ${line}`;

function getPath(command: CommandUnknownOpts): string[] {
  return command.parent === null ? [command.name()] : [...getPath(command.parent), command.name()];
}
