import { type Cli, leaf } from '../../cli.ts';
import type { Stopped } from '../../dev/instance/stop.ts';
import { controlOf, orderEach } from './control.ts';
import { instanceFlag, pathsOf, withInstance } from './options.ts';

const DESCRIPTIONS: Readonly<Record<Stopped, string>> = {
  stopped: 'stopped; its state is kept',
  killed: 'did not stop in time and was killed; its state is kept',
  leftovers: 'was not running; ended what an earlier run had left behind',
  'not-running': 'is not running',
};

/** `switchyard dev stop [SERVICE...]` */
export function stopCommand(cli: Cli) {
  return withInstance(
    leaf(
      'stop',
      'stop a running instance, or some of its services; returns when they are gone',
      '',
      'composer --instance chat',
    ),
  )
    .argument('[service...]', 'only these services; the others keep running')
    .action(async (named, options) => {
      const paths = await pathsOf(options, cli);
      if (named.length > 0) {
        const flag = instanceFlag(options);
        const services = await orderEach(await controlOf(paths, flag), 'stop', named);
        cli.print(
          { instance: paths.name, services, result: 'stopped' },
          services.map((service) => `service ${service} stopped: \`switchyard dev start ${service}${flag}\` starts it`),
        );
        return;
      }
      const { stopInstance } = await import('../../dev/instance/stop.ts');
      const result = await stopInstance(paths);
      cli.print({ instance: paths.name, result }, `instance ${paths.name} ${DESCRIPTIONS[result]}`);
    });
}
