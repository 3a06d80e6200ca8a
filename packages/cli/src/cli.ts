import { Command } from 'commander';
import { jsonText } from './print.ts';

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
  /** As `ask`, without showing what is typed. */
  askSecret?(question: string): Promise<string | undefined>;
  /** Calls back when the user or the system asks the program to end. */
  onStop(stop: (why: string) => void): void;
}

/** What every command may use. */
export interface Cli {
  readonly world: World;
  /** Set for the run of one command, from its `--json`. */
  json: boolean;
  /** The result of a command: one JSON value with `--json`, else lines. */
  print(value: unknown, lines: string | readonly string[]): void;
  /** Prints a note to stderr, so that a pipe from stdout carries only the result. */
  note(line: string): void;
}

export function createCli(world: World): Cli {
  const cli: Cli = {
    world,
    json: false,
    print(value, lines) {
      const text = cli.json ? jsonText(value) : [lines].flat().join('\n');
      if (text !== '') world.stdout.write(`${text}\n`);
    },
    note: (line) => world.stderr.write(`${line}\n`),
  };
  return cli;
}

/** A command that does something, with the option that all of those share. */
export function leaf(name: string, description: string): Command {
  return new Command(name).description(description).option('--json', 'print one JSON value instead of text');
}

/** A command that only holds others. */
export function group(name: string, description: string, commands: readonly Command[]): Command {
  const command = new Command(name).description(description);
  for (const child of commands) command.addCommand(child);
  return command;
}
