import type { Command } from 'commander';
import { type Cli, leaf } from '../../cli.ts';
import { usage } from '../../failure.ts';
import { type EngineOptions, networkOfEngine, nodesOf, withEngine } from './engine.ts';
import { type InstanceOptions, instanceFlag, pathsOf, withInstance } from './options.ts';

interface Options extends InstanceOptions, EngineOptions {
  readonly rollupName?: string;
  readonly localNetworkName?: string;
  readonly localNativeDenom?: string;
  readonly portOffset?: string;
  readonly template?: string;
}

/** `switchyard dev init` */
export function initCommand(cli: Cli): Command {
  return withEngine(
    withInstance(
      leaf(
        'init',
        'make an instance: its files, keys and genesis; safe to repeat, keeps what is there',
        '',
        '--template messenger,evm',
        '--instance second --template evm --port-offset 100',
      ),
    ),
  )
    .option(
      '--template <name>',
      'messenger (a rollup to chat on), evm (an Ethereum rollup), messenger,evm (both) or empty (no rollup yet; default: messenger)',
    )
    .option(
      '--rollup-name <name>',
      'name of the rollup, which is its identity on the sequencer (default: the template)',
    )
    .option('--local-network-name <id>', "the sequencer's chain id (default: sequencer-test-chain-0)")
    .option('--local-native-denom <denom>', "the sequencer's native asset (default: ntia)")
    .option(
      '--port-offset <n>',
      'added to every port, so that instances run side by side (SWITCHYARD_PORT_OFFSET; default: 0)',
    )
    .action(async (options: Options) => {
      const [{ initInstance }, { programsFor }] = await Promise.all([
        import('../../dev/init/init.ts'),
        import('../../dev/run/programs.ts'),
      ]);
      const paths = await pathsOf(options, cli);
      // Invalid values are reported before anything is written.
      await nodesOf(options);
      const made = initInstance(paths, {
        rollupName: options.rollupName,
        chainId: options.localNetworkName,
        nativeDenom: options.localNativeDenom,
        template: options.template,
        portOffset: portOffsetOf(options.portOffset, cli),
      });
      const { network, written } = await networkOfEngine(paths, options, undefined);
      const report = { ...made, written: [...new Set([...made.written, ...written])] };
      const lines = [
        `instance ${paths.name} in ${paths.directory}`,
        ...report.written.map((file) => `  wrote ${file}`),
        ...report.kept.map((file) => `  kept  ${file}`),
        ...report.ignored.map((line) => `  not changed: ${line}`),
        `Start it with: ${programsFor(cli.world.env, cli.world.directory).switchyard} dev run${instanceFlag(options)}${options.engine === 'cometbft' ? ` --network ${network}` : ''}`,
      ];
      cli.print({ instance: paths.name, directory: paths.directory, ...report }, lines);
    });
}

/** The offset of the ports by flag, else by environment. @throws {Failure} */
export function portOffsetOf(flag: string | undefined, cli: Cli): number | undefined {
  const offset = flag ?? cli.world.env.SWITCHYARD_PORT_OFFSET;
  return offset === undefined || offset === '' ? undefined : parseOffset(offset);
}

function parseOffset(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw usage(`--port-offset: expected a whole number, got ${JSON.stringify(text)}`);
  return Number(text);
}
