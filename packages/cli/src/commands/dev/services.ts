import { Failure } from '@switchyard/service/failure';
import type { Cli } from '../../cli.ts';
import type { ControlClient } from '../../dev/control/client.ts';
import type { ServiceVerb } from '../../dev/control/protocol.ts';
import type { InstancePaths } from '../../dev/instance/home.ts';
import type { Stopped } from '../../dev/instance/stop.ts';
import { getPaths, instanceFlag, instanceLeaf } from './options.ts';

/** Orders to the running instance. @throws {Failure} when nothing runs, or the running instance accepts no commands. */
async function getControl(paths: InstancePaths, flag: string): Promise<ControlClient> {
  const { connectControl } = await import('../../dev/control/client.ts');
  const { requireInstance } = await import('../../dev/instance/instance.ts');
  const { currentRun } = await import('../../dev/instance/run-file.ts');
  requireInstance(paths);
  const control = await connectControl(paths);
  if (control !== undefined) return control;
  const run = currentRun(paths);
  if (run !== undefined)
    throw new Failure(`instance ${paths.name} runs (process ${run.tool.pid}), but takes no orders`);
  throw new Failure(`instance ${paths.name} is not running: start it with \`switchyard dev run${flag}\``);
}

/** @returns the services, each once. @throws {Failure} if one of the services does not exist, before anything is done to the others. */
async function orderEach(control: ControlClient, verb: ServiceVerb, named: readonly string[]) {
  const names = [...new Set(named)];
  const known = names.length > 1 ? (await control.status()).services.map(({ name }) => name) : names;
  const unknown = names.find((name) => !known.includes(name));
  // The tool refuses it with the names of all services.
  for (const name of unknown === undefined ? names : [unknown]) await control[verb](name);
  return names;
}

export function startCommand(cli: Cli) {
  return instanceLeaf(
    'start',
    'start an instance in the background, or services of a running one',
    '',
    'composer --instance chat',
  )
    .argument('[service...]', 'services that were stopped, have failed or have done their work; none: all of them')
    .option('--network <name>', 'which network, when the instance does not run yet', 'local')
    .action(async (named, options) => {
      const paths = await getPaths(options, cli);
      const { currentRun } = await import('../../dev/instance/run-file.ts');
      if (named.length === 0 && currentRun(paths) === undefined) {
        const { runDetached } = await import('../../dev/run/detach.ts');
        await runDetached({ paths, args: ['--network', options.network], world: cli.world, json: cli.json });
        return;
      }
      const control = await getControl(paths, instanceFlag(options));
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

const DESCRIPTIONS: Readonly<Record<Stopped, string>> = {
  stopped: 'stopped; its state is kept',
  killed: 'did not stop in time and was killed; its state is kept',
  leftovers: 'was not running; ended what an earlier run had left behind',
  'not-running': 'is not running',
};

export function stopCommand(cli: Cli) {
  return instanceLeaf(
    'stop',
    'stop a running instance, or some of its services; returns when they are gone',
    '',
    'composer --instance chat',
  )
    .argument('[service...]', 'only these services; the others keep running')
    .action(async (named, options) => {
      const paths = await getPaths(options, cli);
      if (named.length > 0) {
        const flag = instanceFlag(options);
        const services = await orderEach(await getControl(paths, flag), 'stop', named);
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

export function restartCommand(cli: Cli) {
  return instanceLeaf(
    'restart',
    'restart a running instance, or some of its services; edited files are read again',
    '',
    'rollup',
  )
    .argument('[service...]', 'only these services')
    .action(async (named, options) => {
      const paths = await getPaths(options, cli);
      const control = await getControl(paths, instanceFlag(options));
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
