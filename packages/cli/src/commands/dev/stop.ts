import type { Command } from 'commander';
import { type Cli, leaf } from '../../cli.ts';
import type { Stopped } from '../../dev/stop.ts';
import { type InstanceOptions, pathsOf, withInstance } from './options.ts';

const SAYS: Readonly<Record<Stopped, string>> = {
  stopped: 'stopped; its state is kept',
  killed: 'did not stop in time and was killed; its state is kept',
  leftovers: 'was not running; ended what an earlier run had left behind',
  'not-running': 'is not running',
};

/** `switchyard dev stop` */
export function stopCommand(cli: Cli): Command {
  return withInstance(leaf('stop', 'stop a running instance; returns when nothing of it is left')).action(
    async (options: InstanceOptions) => {
      const { stopInstance } = await import('../../dev/stop.ts');
      const paths = await pathsOf(options, cli);
      const result = await stopInstance(paths);
      cli.print({ instance: paths.name, result }, `instance ${paths.name} ${SAYS[result]}`);
    },
  );
}
