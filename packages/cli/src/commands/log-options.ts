import { integerReader } from '../arguments.ts';
import { optionSet } from '../cli.ts';

/** For commands that print the logs of a deployment. */
export const withLogOptions = optionSet((command) =>
  command
    .option('--lines <number>', 'last lines of each process', integerReader('--lines', 0, 10_000), 100)
    .option('--follow', 'show new lines, too, until interrupted'),
);
