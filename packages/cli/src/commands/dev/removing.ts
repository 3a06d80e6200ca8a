import { type Cli, group, optionSet } from '../../cli.ts';
import type { Rewrite } from '../../dev/init/reset-config.ts';
import type { InstancePaths } from '../../dev/instance/home.ts';
import type { Removal } from '../../dev/state/remove.ts';
import { sizeText } from '../../print.ts';
import { confirm } from './confirm.ts';
import { getPaths, type InstanceOptions, instanceFlag, instanceLeaf } from './options.ts';

type Functions = typeof import('../../dev/state/remove.ts');

interface Removing {
  readonly name: string;
  readonly description: string;
  /** Completes "instance NAME runs: ... after `switchyard dev stop`". */
  readonly first: string;
  find(paths: InstancePaths, functions: Functions): Removal[];
  nothing(paths: InstancePaths): string;
  readonly question: string;
  /** Lines on further losses. */
  loses?(paths: InstancePaths): Promise<string[]>;
  remove(paths: InstancePaths, functions: Functions, found: Removal[]): Removal[];
}

/** A command that removes files of a stopped instance once that is confirmed. */
function removing(cli: Cli, { name, description, first, find, nothing, question, loses, remove }: Removing) {
  return instanceLeaf(name, description, '', '--instance chat --yes')
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

/** The instance that the options name. @throws {Failure} if it is not there, or runs. */
export async function stoppedInstance(options: InstanceOptions, cli: Cli, first: string): Promise<InstancePaths> {
  const { requireStopped } = await import('../../dev/instance/stop.ts');
  const { requireInstance } = await import('../../dev/instance/instance.ts');
  const paths = await getPaths(options, cli);
  requireInstance(paths);
  requireStopped(paths, first);
  return paths;
}

type Contents = (directory: string) => Removal[];

export function purgeCommand(cli: Cli) {
  return group('purge', 'remove files of an instance', [
    target(cli, 'all', 'the whole instance: configuration, keys, state, snapshots and logs', (paths, getContents) =>
      getContents(paths.home).filter(({ path }) => path === paths.directory),
    ),
    target(cli, 'binaries', 'downloaded programs; needed ones are fetched again', (paths, getContents) =>
      getContents(paths.bin),
    ),
    target(cli, 'logs', 'the log files', (paths, getContents) => getContents(paths.logs)),
  ]);
}

function target(
  cli: Cli,
  name: string,
  description: string,
  find: (paths: InstancePaths, getContents: Contents) => Removal[],
) {
  return removing(cli, {
    ...{ name, description, first: `purge ${name}`, question: 'Remove this?' },
    find: (paths, { getContents }) => find(paths, getContents),
    nothing: () => 'nothing to remove',
    loses: async (paths) => (name === 'all' ? lostKeys(paths) : []),
    remove(_, { remove }, found) {
      remove(found);
      return found;
    },
  });
}

/** Mentioned explicitly: without the user's own key, the funds of its account are lost. */
async function lostKeys(paths: InstancePaths): Promise<string[]> {
  const { ownKeysIn } = await import('../../dev/config/composer-key.ts');
  return ownKeysIn(paths).map(
    ({ path, address }) => `and with it the key of ${address}, ${path}: copy it first if that account holds anything`,
  );
}

export function resetCommand(cli: Cli) {
  return group('reset', 'put a part of an instance back to its beginning', [
    removing(cli, {
      name: 'state',
      description: 'forget all blocks and queues; configuration, keys and logs stay',
      first: 'reset its state',
      find: (paths, { getContents }) => getContents(paths.data),
      nothing: (paths) => `nothing is stored in ${paths.data}`,
      question: 'Forget all blocks and accounts of this network?',
      remove: (paths, { resetState }) => resetState(paths),
    }),
    rewriting(cli, {
      name: 'config',
      description:
        'rewrite config/ for the names and ports of networks-config.toml; keys stay, and a backup of what you changed is kept',
      more: withNewKeys,
      plan: ({ planConfigReset }, paths, keys) => planConfigReset(paths, { keys }),
    }),
    rewriting(cli, {
      name: 'networks',
      description:
        'rewrite networks-config.toml for the names and ports of config/; a backup of what you changed is kept',
      plan: ({ planNetworksReset }, paths) => planNetworksReset(paths),
      loses: ({ otherNetworks }, paths) => otherNetworks(paths).map((network) => `forgets the network ${network}`),
    }),
  ]);
}

const withNewKeys = optionSet((command) =>
  command.option('--keys', 'the keys too: the sequencer and the composer get new ones'),
);

type ResetFunctions = typeof import('../../dev/init/reset-config.ts');

interface Rewriting {
  readonly name: string;
  readonly description: string;
  readonly more?: typeof withNewKeys;
  plan(functions: ResetFunctions, paths: InstancePaths, keys: boolean): Rewrite[];
  /** Lines on files that will only be left in the copy. */
  loses?(functions: ResetFunctions, paths: InstancePaths): string[];
}

function rewriting(cli: Cli, { name, description, more = (command) => command, plan, loses }: Rewriting) {
  const command = instanceLeaf(name, description, '', '--instance chat --yes').option('-y, --yes', 'do not ask');
  return more(command).action(async (options) => {
    const [functions, { hasState }] = await Promise.all([
      import('../../dev/init/reset-config.ts'),
      import('../../dev/config/setconfig.ts'),
    ]);
    const paths = await stoppedInstance(options, cli, `reset ${name}`);
    const rewrites = plan(functions, paths, options.keys === true);
    if (rewrites.length === 0)
      return cli.print({ written: [], backups: [], resetNeeded: false }, 'nothing to reset: it is as new');
    await confirm(cli, {
      yes: options.yes,
      what: [
        ...rewrites.map(({ path, backup }) => (backup ? `rewrites ${path}, and keeps a copy` : `writes ${path}`)),
        ...(loses?.(functions, paths) ?? []),
      ],
      question: 'Do this?',
      verb: 'change',
    });
    const backups = functions.applyRewrites(paths, rewrites);
    const resetNeeded = rewrites.some(({ needsNewState }) => needsNewState) && hasState(paths);
    cli.print({ written: rewrites.map(({ path }) => path), backups, resetNeeded }, [
      ...rewrites.map(({ path }) => `wrote ${path}`),
      ...backups.map((path) => `kept the old file as ${path}`),
      ...(resetNeeded
        ? ['The stored state belongs to the old genesis. Then:', `  switchyard dev reset state${instanceFlag(options)}`]
        : []),
    ]);
  });
}
