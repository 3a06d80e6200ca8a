import type { Command } from 'commander';

/** Options of the commands that print the logs of a deployment. */
export interface LogOptions {
  readonly lines: string;
  readonly follow?: true;
}

const MOST_LINES = 10_000;

export function withLogOptions(command: Command): Command {
  return command
    .option('--lines <number>', 'last lines of each process', '100')
    .option('--follow', 'show what is logged from now on, too, until interrupted');
}

/** @param part Undefined for all processes. @throws {Failure} for a number of lines that is none. */
export async function logChoice(part: string | undefined, { lines, follow }: LogOptions) {
  const { integerOf } = await import('../arguments.ts');
  return {
    ...(part === undefined ? {} : { part }),
    follow: follow === true,
    lines: integerOf('--lines', lines, 0, MOST_LINES),
  };
}
