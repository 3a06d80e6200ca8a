import type { Command } from 'commander';
import { type Cli, leaf } from '../../cli.ts';
import { controlOf } from './control.ts';
import { type InstanceOptions, instanceFlag, pathsOf, withInstance } from './options.ts';

/** `switchyard dev restart [SERVICE]` */
export function restartCommand(cli: Cli): Command {
  return withInstance(
    leaf('restart', 'restart one service of a running instance, or all; edited files are read again', '', 'rollup'),
  )
    .argument('[service]', 'only this service')
    .action(async (service: string | undefined, options: InstanceOptions) => {
      const paths = await pathsOf(options, cli);
      const control = await controlOf(paths, instanceFlag(options));
      if (service === undefined) await control.restartAll();
      else await control.restart(service);
      const what = service === undefined ? 'all services' : `service ${service}`;
      cli.print({ instance: paths.name, restarted: service ?? 'all' }, `${what} started again`);
    });
}
