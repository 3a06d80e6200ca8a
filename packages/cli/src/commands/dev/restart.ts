import { type Cli, leaf } from '../../cli.ts';
import { controlOf, orderEach } from './control.ts';
import { instanceFlag, pathsOf, withInstance } from './options.ts';

/** `switchyard dev restart [SERVICE...]` */
export function restartCommand(cli: Cli) {
  return withInstance(
    leaf('restart', 'restart a running instance, or some of its services; edited files are read again', '', 'rollup'),
  )
    .argument('[service...]', 'only these services')
    .action(async (named, options) => {
      const paths = await pathsOf(options, cli);
      const control = await controlOf(paths, instanceFlag(options));
      if (named.length === 0) {
        await control.restartAll();
        cli.print({ instance: paths.name, restarted: 'all' }, 'all services started again');
        return;
      }
      const restarted = await orderEach(control, 'restart', named);
      const lines = restarted.map((service) => `service ${service} started again`);
      cli.print({ instance: paths.name, restarted }, lines);
    });
}
