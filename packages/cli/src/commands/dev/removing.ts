import { type Cli, leaf } from '../../cli.ts';
import type { InstancePaths } from '../../dev/instance/home.ts';
import type { Removal } from '../../dev/state/remove.ts';
import { sizeText } from '../../print.ts';
import { confirm } from './confirm.ts';
import { type InstanceOptions, pathsOf, withInstance } from './options.ts';

type Functions = typeof import('../../dev/state/remove.ts');

interface Removing {
  readonly name: string;
  readonly description: string;
  /** Completes "instance NAME runs: ... after `switchyard dev stop`". */
  readonly first: string;
  find(paths: InstancePaths, functions: Functions): Removal[];
  nothing(paths: InstancePaths): string;
  readonly question: string;
  /** Lines on what is lost besides. */
  loses?(paths: InstancePaths): Promise<string[]>;
  remove(paths: InstancePaths, functions: Functions, found: Removal[]): Removal[];
}

/** A command that removes files of a stopped instance once that is confirmed. */
export function removing(cli: Cli, { name, description, first, find, nothing, question, loses, remove }: Removing) {
  return withInstance(leaf(name, description, '', '--instance chat --yes'))
    .option('-y, --yes', 'do not ask')
    .action(async (options) => {
      const functions = await import('../../dev/state/remove.ts');
      const paths = await stoppedInstance(options, cli, first);
      const found = find(paths, functions);
      if (found.length === 0) return cli.print({ removed: [] }, nothing(paths));
      const what = [
        ...found.map((item) => `removes ${item.path} (${sizeText(item)})`),
        ...((await loses?.(paths)) ?? []),
      ];
      await confirm(cli, { yes: options.yes, what, question, verb: 'remove' });
      const removed = remove(paths, functions, found);
      cli.print(
        { removed },
        removed.map((item) => `removed ${item.path} (${sizeText(item)})`),
      );
    });
}

/** The instance that the options name. @throws {Failure} where it is not there, or runs. */
export async function stoppedInstance(options: InstanceOptions, cli: Cli, first: string): Promise<InstancePaths> {
  const [{ requireStopped }, { requireInstance }] = await Promise.all([
    import('../../dev/instance/stop.ts'),
    import('../../dev/instance/instance.ts'),
  ]);
  const paths = await pathsOf(options, cli);
  requireInstance(paths);
  requireStopped(paths, first);
  return paths;
}
