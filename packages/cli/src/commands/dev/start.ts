import { type Cli, leaf } from '../../cli.ts';
import { controlOf, orderEach } from './control.ts';
import { instanceFlag, pathsOf, withInstance } from './options.ts';

/** `switchyard dev start [SERVICE...]` */
export function startCommand(cli: Cli) {
  return withInstance(
    leaf('start', 'start an instance in the background, or services of one that runs', '', 'composer --instance chat'),
  )
    .argument('[service...]', 'services that were stopped, have failed or have done their work; none: all of them')
    .option('--network <name>', 'which network, when the instance does not run yet', 'local')
    .action(async (named, options) => {
      const paths = await pathsOf(options, cli);
      const { currentRun } = await import('../../dev/instance/run-file.ts');
      if (named.length === 0 && currentRun(paths) === undefined) {
        const { runDetached } = await import('../../dev/run/detach.ts');
        await runDetached({ paths, args: ['--network', options.network], world: cli.world, json: cli.json });
        return;
      }
      const control = await controlOf(paths, instanceFlag(options));
      const down = ['stopped', 'failed', 'finished'];
      const { services, paused } = await control.status();
      if (named.length === 0 && paused) {
        await control.resume();
        cli.print(
          { instance: paths.name, resumed: true },
          `instance ${paths.name} was paused; its services are started`,
        );
        return;
      }
      const wanted =
        named.length === 0 ? services.filter(({ state }) => down.includes(state)).map(({ name }) => name) : named;
      const names = await orderEach(control, 'start', wanted);
      const text = names.length === 0 ? 'all services run already' : names.map((name) => `service ${name} started`);
      cli.print({ instance: paths.name, started: names }, text);
    });
}
