import { type Cli, group, leaf, optionSet } from '../../cli.ts';
import type { Rewrite } from '../../dev/init/reset-config.ts';
import type { InstancePaths } from '../../dev/instance/home.ts';
import { confirm } from './confirm.ts';
import { instanceFlag, withInstance } from './options.ts';
import { removing, stoppedInstance } from './removing.ts';

/** `switchyard dev reset ...` */
export function resetCommand(cli: Cli) {
  return group('reset', 'put a part of an instance back to its beginning', [
    removing(cli, {
      name: 'state',
      description: 'forget all blocks and queues; configuration, keys and logs stay',
      first: 'reset its state',
      find: (paths, { contentsOf }) => contentsOf(paths.data),
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

type Functions = typeof import('../../dev/init/reset-config.ts');

interface Rewriting {
  readonly name: string;
  readonly description: string;
  readonly more?: typeof withNewKeys;
  plan(functions: Functions, paths: InstancePaths, keys: boolean): Rewrite[];
  /** Lines on what will only be left in the copy. */
  loses?(functions: Functions, paths: InstancePaths): string[];
}

function rewriting(cli: Cli, { name, description, more = (command) => command, plan, loses }: Rewriting) {
  const command = withInstance(leaf(name, description, '', '--instance chat --yes')).option('-y, --yes', 'do not ask');
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
      ...backups.map((path) => `kept what was there as ${path}`),
      ...(resetNeeded
        ? ['The stored state belongs to the old genesis. Then:', `  switchyard dev reset state${instanceFlag(options)}`]
        : []),
    ]);
  });
}
