import { type Cli, group, leaf } from '../../cli.ts';
import type { InstancePaths } from '../../dev/instance/home.ts';
import type { Removal } from '../../dev/state/remove.ts';
import { sizeText } from '../../print.ts';
import { confirm } from './confirm.ts';
import { pathsOf, withInstance } from './options.ts';

type Contents = (directory: string) => Removal[];

/** `switchyard dev purge ...` */
export function purgeCommand(cli: Cli) {
  return group('purge', 'remove files of an instance', [
    target(cli, 'all', 'the whole instance: configuration, keys, state, snapshots and logs', (paths, contentsOf) =>
      contentsOf(paths.home).filter(({ path }) => path === paths.directory),
    ),
    target(cli, 'binaries', 'downloaded programs; those that are needed are fetched again', (paths, contentsOf) =>
      contentsOf(paths.bin),
    ),
    target(cli, 'logs', 'the log files', (paths, contentsOf) => contentsOf(paths.logs)),
  ]);
}

function target(
  cli: Cli,
  name: string,
  description: string,
  find: (paths: InstancePaths, contentsOf: Contents) => Removal[],
) {
  return withInstance(leaf(name, description, '', '--instance chat --yes'))
    .option('-y, --yes', 'do not ask')
    .action(async (options) => {
      const [{ contentsOf, remove }, { requireStopped }, { requireInstance }] = await Promise.all([
        import('../../dev/state/remove.ts'),
        import('../../dev/instance/stop.ts'),
        import('../../dev/instance/instance.ts'),
      ]);
      const paths = await pathsOf(options, cli);
      requireInstance(paths);
      requireStopped(paths, `purge ${name}`);
      const removals = find(paths, contentsOf);
      if (removals.length === 0) return cli.print({ removed: [] }, 'nothing to remove');
      await confirm(cli, {
        yes: options.yes,
        what: [
          ...removals.map((item) => `removes ${item.path} (${sizeText(item)})`),
          ...(name === 'all' ? await lostKeys(paths) : []),
        ],
        question: 'Remove this?',
        verb: 'remove',
      });
      remove(removals);
      cli.print(
        { removed: removals },
        removals.map((item) => `removed ${item.path} (${sizeText(item)})`),
      );
    });
}

/** Mentioned explicitly: without the user's own key, what its account holds is lost. */
async function lostKeys(paths: InstancePaths): Promise<string[]> {
  const { ownKeysIn } = await import('../../dev/config/composer-key.ts');
  return ownKeysIn(paths).map(
    ({ path, address }) => `and with it the key of ${address}, ${path}: copy it first if that account holds anything`,
  );
}
