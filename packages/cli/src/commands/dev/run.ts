import { Option } from '@commander-js/extra-typings';
import { Failure, usage } from '@switchyard/service/failure';
import { type Cli, leaf, type OptionsOf, optionSet } from '../../cli.ts';
import { LAYERS } from '../../dev/init/templates.ts';
import type { InstancePaths } from '../../dev/instance/home.ts';
import type { ForegroundOptions } from '../../dev/run/foreground.ts';
import type { Flags } from '../../dev/services/flags.ts';
import type { Overview } from '../../dev/status/network.ts';
import { count } from '../../print.ts';
import { findNodes, networkOfEngine, withEngine } from './engine.ts';
import { findPortOffset } from './init.ts';
import { getPaths, withInstance } from './options.ts';

/** Labels with a flag of their own, as in the reference. */
const PATH_LABELS = ['sequencer', 'composer', 'conductor', 'rollup', 'evm', 'cometbft', 'celestia'] as const;
const alternativeFor = (label: string) =>
  `program to run as the service ${label}, instead of the one in networks-config.toml`;

/** Options that replace programs of an instance for one run, or for the checks of `dev doctor`. */
export const withPaths = optionSet((command) =>
  command
    .option('--sequencer-path <file>', alternativeFor('sequencer'))
    .option('--composer-path <file>', alternativeFor('composer'))
    .option('--conductor-path <file>', alternativeFor('conductor'))
    .option('--rollup-path <file>', alternativeFor('rollup'))
    .option('--evm-path <file>', alternativeFor('evm'))
    .option(
      '--cometbft-path <file>',
      'program to run as cometbft, for all nodes (default: SWITCHYARD_COMETBFT, PATH, bin/ of the instance)',
    )
    .option(
      '--celestia-path <directory>',
      'where celestia and celestia-appd are (default: PATH, bin/ of the instance, bin/ next to all instances)',
    ),
);

export const withRun = optionSet((command) =>
  withPaths(
    withEngine(withInstance(command))
      .option('--network <name>', 'which network of networks-config.toml (default: local)')
      .option('--headless', 'for scripts: no colours, and a service that fails permanently ends the run')
      .option('--processes', 'run each of our services as a process of its own, for throughput on several cores')
      .option('--detach', 'run in the background; returns when all services are ready, or one has failed')
      .addOption(
        new Option(
          '--da <layer>',
          'where blocks become firm: makes a missing instance as `dev init --data-availability` does, and refuses another layer',
        ).choices(LAYERS),
      )
      .addOption(
        new Option('--service-log-level <level>', 'log level of all our services').choices([
          'trace',
          'debug',
          'info',
          'warn',
          'error',
        ]),
      ),
  )
    .option('--export-logs', 'has no effect: logs are always written, to the directory logs of the instance')
    .addOption(new Option('--background').hideHelp()),
);

export type RunOptions = OptionsOf<typeof withRun>;

/** `switchyard dev run`: in the foreground until Ctrl+C, or in the background. */
export function runCommand(cli: Cli) {
  return withRun(
    leaf(
      'run',
      'start the services of an instance and show their output until Ctrl+C',
      '',
      '--instance chat --headless',
      '--engine cometbft --validators 4',
    ),
  )
    .addHelpText(
      'after',
      '\nOnce all services are ready, one line `ready {json}` describes the services and their addresses, if output is no terminal or\nwith --headless or --json. Another terminal may use\n`switchyard dev status`, `logs`, `restart`, `stop` and `start` in the meantime.',
    )
    .action(async (options) => run(options, await getPaths(options, cli), cli));
}

/** @param onReady Called once all services are ready. @throws {Failure} when the instance cannot be run, or fails. */
export async function run(
  options: RunOptions,
  paths: InstancePaths,
  cli: Cli,
  onReady: (network: Overview) => void = () => {},
): Promise<void> {
  await checkOptions(options);
  await getLayer(options, paths, cli);
  const network = await networkFor(options, paths, cli);
  if (options.detach === true) {
    const { runDetached } = await import('../../dev/run/detach.ts');
    onReady(await runDetached({ paths, args: getArgs(options, network), world: cli.world, json: cli.json }));
    return;
  }
  const { runInForeground } = await import('../../dev/run/foreground.ts');
  const end = await runInForeground({
    paths,
    network,
    headless: options.headless === true,
    background: options.background === true,
    json: cli.json,
    flags: toFlags(options, cli),
    world: cli.world,
    onReady,
    ...(await uiFor(options, cli)),
  });
  if (end.kind === 'failed') throw new Failure(end.reason);
}

/** Refuses options that contradict one another, before anything is written. @throws {Failure} */
export async function checkOptions(options: RunOptions): Promise<void> {
  const { da, engine, network } = options;
  const ofEngine = engine === 'solo' ? 'local' : engine;
  if (network !== undefined && ofEngine !== undefined && network !== ofEngine) {
    throw usage(`--network ${network}: with --engine ${engine} the network is ${ofEngine}: leave one of them out`);
  }
  const other = engine === 'cometbft' ? `--engine ${engine}` : network !== 'local' && network && `--network ${network}`;
  if (da !== undefined && other)
    throw usage(`--da: only the network local has a data-availability layer: leave ${other} out`);
  await findNodes(options);
}

/** Makes sure that the instance has the layer that was requested. @throws {Failure} */
async function getLayer({ da }: RunOptions, paths: InstancePaths, cli: Cli): Promise<void> {
  if (da === undefined) return;
  const { requireLayer } = await import('../../dev/init/require-layer.ts');
  const written = requireLayer(paths, da, findPortOffset(undefined, cli));
  if (written.length > 0)
    cli.note(`data availability ${da} in ${paths.directory}: wrote ${count(written.length, 'file')}`);
}

/** The network that was named, or that the engine stands for. */
async function networkFor(options: RunOptions, paths: InstancePaths, cli: Cli): Promise<string> {
  const { network, written } = await networkOfEngine(paths, options, findPortOffset(undefined, cli));
  if (written.length > 0)
    cli.note(`made the network ${network} in ${paths.directory}: ${count(written.length, 'file')}`);
  return network ?? options.network ?? 'local';
}

/** The terminal UI, if a person can see it. */
async function uiFor(options: RunOptions, cli: Cli): Promise<Pick<ForegroundOptions, 'openUi'>> {
  const { hasTerminal } = await import('../../tui/possible.ts');
  if (options.headless === true || options.background === true || cli.json || !hasTerminal(cli.world)) return {};
  return {
    openUi: async (running) => new (await import('../../tui/index.ts')).TerminalUi({ running, world: cli.world }),
  };
}

export function getPrograms(options: OptionsOf<typeof withPaths>): [string, string][] {
  return PATH_LABELS.flatMap((label) => {
    const path = options[`${label}Path`];
    return path === undefined || path === '' ? [] : [[label, path]];
  });
}

function toFlags(options: RunOptions, cli: Cli): Flags {
  const { serviceLogLevel } = options;
  return {
    programs: Object.fromEntries(getPrograms(options)),
    directory: cli.world.directory,
    inProcess: options.processes !== true,
    ...(serviceLogLevel === undefined ? {} : { logLevel: serviceLogLevel }),
  };
}

/** Arguments with which the tool in the background gets the same options. */
function getArgs(options: RunOptions, network: string): string[] {
  return [
    ...['--network', network],
    ...(options.processes === true ? ['--processes'] : []),
    ...(options.serviceLogLevel === undefined ? [] : ['--service-log-level', options.serviceLogLevel]),
    ...getPrograms(options).flatMap(([label, path]) => [`--${label}-path`, path]),
  ];
}
