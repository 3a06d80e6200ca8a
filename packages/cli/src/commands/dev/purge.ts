import { type Cli, group } from '../../cli.ts';
import type { InstancePaths } from '../../dev/instance/home.ts';
import type { Removal } from '../../dev/state/remove.ts';
import { removing } from './removing.ts';

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
  return removing(cli, {
    ...{ name, description, first: `purge ${name}`, question: 'Remove this?' },
    find: (paths, { contentsOf }) => find(paths, contentsOf),
    nothing: () => 'nothing to remove',
    loses: async (paths) => (name === 'all' ? lostKeys(paths) : []),
    remove(_, { remove }, found) {
      remove(found);
      return found;
    },
  });
}

/** Mentioned explicitly: without the user's own key, what its account holds is lost. */
async function lostKeys(paths: InstancePaths): Promise<string[]> {
  const { ownKeysIn } = await import('../../dev/config/composer-key.ts');
  return ownKeysIn(paths).map(
    ({ path, address }) => `and with it the key of ${address}, ${path}: copy it first if that account holds anything`,
  );
}
