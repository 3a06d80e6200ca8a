import type { Command, CommandUnknownOpts, OptionValues } from '@commander-js/extra-typings';
import { showHiddenInJson } from '@switchyard/protocol/hidden-characters';
import { commandWithExamples } from './examples.ts';
import { jsonText, printableLines } from './print.ts';

/** A place for text, as the standard streams are. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Characters not yet taken by the reader. */
  readonly writableLength?: number;
}

/** The world as a program sees it. */
export interface World {
  readonly env: NodeJS.ProcessEnv;
  readonly directory: string;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Asks a person; `undefined` when the input is not a terminal. */
  ask(question: string): Promise<string | undefined>;
  /** Asks like `ask`, without echoing the input. */
  askSecret?(question: string): Promise<string | undefined>;
  /** Calls back when the user or the system asks the program to end. */
  onStop(stop: (why: string) => void): void;
  /** Offers `take` every error that was handled nowhere. If it returns false, the program ends with that error. */
  onUnhandled?(take: (error: unknown) => boolean): void;
}

/** Facilities that every command may use. */
export interface Cli {
  readonly world: World;
  /** Set for the run of one command, from its `--json`. */
  json: boolean;
  /** The result of a command: one JSON value with `--json`, else lines. */
  print(value: unknown, lines: string | readonly string[]): void;
  /** Prints a note to stderr, so that a pipe from stdout carries only the result; with `--json` as one JSON line. */
  note(line: string): void;
  /** Advice for the case that the node cannot be reached. Set if its URL is chosen. */
  nextStep: string | (() => Promise<string>) | undefined;
}

export function createCli(world: World): Cli {
  const cli: Cli = {
    world,
    json: false,
    print(value, lines) {
      const text = cli.json ? jsonText(value) : printableLines([lines].flat().join('\n'));
      if (text !== '') world.stdout.write(`${text}\n`);
    },
    note: (line) =>
      world.stderr.write(`${cli.json ? showHiddenInJson(JSON.stringify({ note: line })) : printableLines(line)}\n`),
    nextStep: undefined,
  };
  return cli;
}

/**
 * A command that does something, with the option that all of those share.
 *
 * @param examples Arguments that are typed after its name, at least once.
 */
export function leaf(name: string, description: string, ...examples: readonly [string, ...string[]]) {
  return commandWithExamples(name, examples)
    .description(description)
    .option('--json', 'print one JSON value instead of text, and errors as JSON on stderr');
}

/** A command that only holds others. */
export function group(name: string, description: string, commands: readonly CommandUnknownOpts[]): Command {
  const command = commandWithExamples(name).description(description);
  for (const child of commands) command.addCommand(child);
  return command;
}

/** Reader of an option that may be repeated: collects its values. */
export const repeated = (value: string, others: readonly string[] = []): readonly string[] => [...others, value];

/** Adds options to a command. */
export type OptionSet<Added extends OptionValues> = <Args extends unknown[], Own extends OptionValues>(
  command: Command<Args, Own>,
) => Command<Args, Own & Added>;

/** Types of the options in a set. */
export type OptionsOf<Set> = Set extends OptionSet<infer Added> ? Added : never;

/**
 * Options under a name of their own, for several commands, or for functions that take the options of a command.
 *
 * @param declare Declares them on a command without any, from which their types follow.
 */
export function optionSet<Added extends OptionValues>(
  declare: (command: Command) => Command<[], Added>,
): OptionSet<Added> {
  return <Args extends unknown[], Own extends OptionValues>(command: Command<Args, Own>) =>
    // At run time it is one object, which has both kinds of options.
    declare(command as unknown as Command) as unknown as Command<Args, Own & Added>;
}
