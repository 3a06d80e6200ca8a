import { integerReader } from '../arguments.ts';
import { type OptionsOf, optionSet } from '../cli.ts';

/** For commands that print the logs of a deployment. */
export const withLogOptions = optionSet((command) =>
  command
    .option('--lines <number>', 'last lines of each process', integerReader('--lines', 0, 10_000), 100)
    .option('--follow', 'show new lines, too, until interrupted'),
);

/** @param part Undefined for all processes. */
export function logChoice(part: string | undefined, { lines, follow }: OptionsOf<typeof withLogOptions>) {
  return { ...(part === undefined ? {} : { part }), follow: follow === true, lines };
}
