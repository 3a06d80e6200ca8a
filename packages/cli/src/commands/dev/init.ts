import { usage } from '@switchyard/service/failure';
import type { Cli } from '../../cli.ts';
import type { InstancePaths } from '../../dev/instance/home.ts';
import { findNodes, networkOfEngine, withEngine } from './engine.ts';
import { getPaths, instanceFlag, instanceLeaf } from './options.ts';

export function initCommand(cli: Cli) {
  return withEngine(
    instanceLeaf(
      'init',
      'make an instance: its files, keys and genesis; safe to repeat, keeps existing files',
      '',
      '--template messenger,evm',
      '--instance second --template evm --port-offset 100',
    ),
  )
    .option(
      '--template <name>',
      'messenger (a rollup to chat on), evm (an Ethereum rollup), messenger,evm (both) or empty (no rollup yet; default: messenger); to an existing instance, rollups are added',
    )
    .option(
      '--data-availability <layer>',
      'local: blocks become firm once they were posted to a layer of this machine and read back; celestia: to a Celestia network of its own on this machine, of its real programs; none: once the validators have signed them (default: local)',
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
    .action(async (options) => {
      const { initInstance } = await import('../../dev/init/init.ts');
      const { programsFor } = await import('../../dev/run/programs.ts');
      const { firstUse } = await import('../../dev/init/first-use.ts');
      const paths = await getPaths(options, cli);
      // Invalid values are reported before anything is written.
      await findNodes(options);
      const made = initInstance(paths, {
        rollupName: options.rollupName,
        chainId: options.localNetworkName,
        nativeDenom: options.localNativeDenom,
        template: options.template,
        dataAvailability: options.dataAvailability,
        portOffset: findPortOffset(options.portOffset, cli),
        skips: await skippedBlocks(paths, options.template, cli),
      });
      const { network, written } = await networkOfEngine(paths, options, undefined);
      const { switchyard } = programsFor(cli.world.env, cli.world.directory);
      const flags = instanceFlag(options);
      const { currentRun } = await import('../../dev/instance/run-file.ts');
      const isRunning = currentRun(paths) !== undefined;
      const report = { ...made, written: [...new Set([...made.written, ...written])] };
      const lines = [
        `instance ${paths.name} in ${paths.directory}`,
        ...report.written.map((file) => `  wrote ${file}`),
        ...report.kept.map((file) => `  kept  ${file}`),
        ...report.added.map((rollup) => `  added ${rollup}`),
        ...report.ignored.map((line) => `  not changed: ${line}`),
        isRunning
          ? `It runs: ${switchyard} dev stop${flags}, then start it again to use the additions`
          : `Start it with: ${switchyard} dev run${flags}${options.engine === 'cometbft' ? ` --network ${network}` : ''}`,
        ...firstUse(made.template, made.offset, `${switchyard} dev init`, flags),
      ];
      cli.print({ instance: paths.name, directory: paths.directory, ...report }, lines);
    });
}

/**
 * Blocks that a rollup leaves out which is added to a running network: none if the sequencer has all, so that the
 * rollup sees every deposit; all up to now if it does not keep the first ones any more.
 */
async function skippedBlocks(paths: InstancePaths, template: string | undefined, cli: Cli) {
  const { currentRun } = await import('../../dev/instance/run-file.ts');
  if (template === undefined || currentRun(paths) === undefined) return undefined;
  const { keptBlocks } = await import('../../dev/status/pages.ts');
  const { readInstance } = await import('../../dev/instance/instance.ts');
  const kept = await keptBlocks(readInstance(paths, 'local', cli.world.env).network.sequencerRpc);
  return kept === undefined || kept.oldest <= 1 ? undefined : kept.newest;
}

/** The offset of the ports by flag, else by environment. @throws {Failure} */
export function findPortOffset(flag: string | undefined, cli: Cli): number | undefined {
  const offset = flag ?? cli.world.env.SWITCHYARD_PORT_OFFSET;
  return offset === undefined || offset === '' ? undefined : parseOffset(offset);
}

function parseOffset(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw usage(`--port-offset: expected a whole number, got ${JSON.stringify(text)}`);
  return Number(text);
}
