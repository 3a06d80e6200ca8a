import type { Command } from 'commander';
import { type Cli, leaf } from '../../cli.ts';
import type { Stopped } from '../../dev/instance/stop.ts';
import { controlOf } from './control.ts';
import { type InstanceOptions, instanceFlag, pathsOf, withInstance } from './options.ts';

const DESCRIPTIONS: Readonly<Record<Stopped, string>> = {
  stopped: 'stopped; its state is kept',
  killed: 'did not stop in time and was killed; its state is kept',
  leftovers: 'was not running; ended what an earlier run had left behind',
  'not-running': 'is not running',
};

/** `switchyard dev stop [SERVICE]` */
export function stopCommand(cli: Cli): Command {
  return withInstance(
    leaf(
      'stop',
      'stop a running instance, or one of its services; returns when it is gone',
      '',
      'composer --instance chat',
    ),
  )
    .argument('[service]', 'only this service; the others keep running')
    .action(async (service: string | undefined, options: InstanceOptions) => {
      const paths = await pathsOf(options, cli);
      if (service !== undefined) {
        const control = await controlOf(paths, instanceFlag(options));
        await control.stop(service);
        const again = `switchyard dev start ${service}${instanceFlag(options)}`;
        cli.print(
          { instance: paths.name, service, result: 'stopped' },
          `service ${service} stopped: \`${again}\` starts it`,
        );
        return;
      }
      const { stopInstance } = await import('../../dev/instance/stop.ts');
      const result = await stopInstance(paths);
      cli.print({ instance: paths.name, result }, `instance ${paths.name} ${DESCRIPTIONS[result]}`);
    });
}
