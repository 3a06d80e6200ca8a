import type { Command } from 'commander';
import { type Cli, group, leaf } from '../../cli.ts';
import { sizeText } from '../../print.ts';
import { type InstanceOptions, pathsOf, withInstance } from './options.ts';

/** `switchyard dev reset ...` */
export function resetCommand(cli: Cli): Command {
  return group('reset', 'put a part of an instance back to its beginning', [state(cli)]);
}

function state(cli: Cli): Command {
  return withInstance(leaf('state', 'forget all blocks and queues; configuration, keys and logs stay')).action(
    async (options: InstanceOptions) => {
      const [{ resetState }, { requireStopped }, { requireInstance }] = await Promise.all([
        import('../../dev/remove.ts'),
        import('../../dev/stop.ts'),
        import('../../dev/instance.ts'),
      ]);
      const paths = await pathsOf(options, cli);
      requireInstance(paths);
      requireStopped(paths, 'reset its state');
      const removed = resetState(paths);
      const lines = removed.map((item) => `removed ${item.path} (${sizeText(item)})`);
      cli.print({ removed }, lines.length === 0 ? `nothing is stored in ${paths.data}` : lines);
    },
  );
}
