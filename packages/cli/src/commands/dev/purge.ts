import type { Command } from 'commander';
import { type Cli, group, leaf } from '../../cli.ts';
import type { InstancePaths } from '../../dev/home.ts';
import type { Removal } from '../../dev/remove.ts';
import { Failure } from '../../failure.ts';
import { sizeText } from '../../print.ts';
import { type InstanceOptions, pathsOf, withInstance } from './options.ts';

type Contents = (directory: string) => Removal[];

/** `switchyard dev purge ...` */
export function purgeCommand(cli: Cli): Command {
  return group('purge', 'remove files of an instance', [
    target(cli, 'all', 'the whole instance: configuration, keys, state and logs', (paths, contentsOf) =>
      contentsOf(paths.home).filter(({ path }) => path === paths.directory),
    ),
    target(cli, 'logs', 'the log files', (paths, contentsOf) => contentsOf(paths.logs)),
  ]);
}

function target(
  cli: Cli,
  name: string,
  description: string,
  find: (paths: InstancePaths, contentsOf: Contents) => Removal[],
): Command {
  return withInstance(leaf(name, description))
    .option('-y, --yes', 'do not ask')
    .action(async (options: InstanceOptions & { readonly yes?: true }) => {
      const [{ contentsOf, remove }, { requireStopped }, { requireInstance }] = await Promise.all([
        import('../../dev/remove.ts'),
        import('../../dev/stop.ts'),
        import('../../dev/instance.ts'),
      ]);
      const paths = await pathsOf(options, cli);
      requireInstance(paths);
      requireStopped(paths, `purge ${name}`);
      const removals = find(paths, contentsOf);
      if (removals.length === 0) return cli.print({ removed: [] }, 'nothing to remove');
      if (options.yes !== true) {
        for (const item of removals) cli.note(`removes ${item.path} (${sizeText(item)})`);
        const answer = await cli.world.ask('Remove this? [y/N] ');
        if (answer === undefined) throw new Failure('nobody to ask here: repeat with --yes to remove it');
        if (!/^y(es)?$/i.test(answer.trim())) throw new Failure('nothing was removed');
      }
      remove(removals);
      cli.print(
        { removed: removals },
        removals.map((item) => `removed ${item.path} (${sizeText(item)})`),
      );
    });
}
