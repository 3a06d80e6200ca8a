import { arch, platform } from 'node:os';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { type Cli, group, leaf } from './cli.ts';
import { completionCommand } from './commands/completion.ts';
import { exportCommand } from './commands/export.ts';
import { mcpCommand } from './commands/mcp.ts';
import { newCommand } from './commands/new.ts';
import { rebuildCommand } from './commands/rebuild.ts';
import { repairCommand } from './commands/repair.ts';
import { replayCommand } from './commands/replay.ts';
import { verifyCommand } from './commands/verify.ts';
import { type Connections, connections } from './connect.ts';
import { commandWithExamples } from './examples.ts';
import { runMain } from './main.ts';
import { VERSION } from './version.ts';

/** Its parts are not loaded when its own help is shown. */
const EXAMPLES = ['up', 'dev init', 'dev run', 'dev status', 'sequencer blockheight get'];

/**
 * `switchyard`: local networks, and the sequencer. Each part is loaded only when the arguments name it; the help of
 * the whole shows it as an empty command.
 */
export async function switchyard(
  cli: Cli,
  args: readonly string[],
  connect: Connections = connections,
): Promise<CommandUnknownOpts> {
  const named = args.find((arg) => !arg.startsWith('-'));
  const program = commandWithExamples('switchyard', EXAMPLES)
    .description('Run a local network of sequencer, composer, conductor and rollup, and use a sequencer')
    .version(VERSION, '-V, --version', 'show the version');
  const up = 'run a local network, made if there is none, and open its start page';
  const dev = 'make and run local networks';
  const sequencer = 'use a sequencer: accounts, transfers, deposits to rollups, blocks';
  const evm = 'use the EVM rollup: its state, deposits to it, its genesis and blocks';
  const bundle = 'submit transactions of several rollups that go into one block together, or into none';
  const archive = 'keep what the data-availability layer holds of a sequencer and its rollups';
  const keys = 'make and keep encrypted keys';
  const network = 'make the files of a network on several machines';
  const cluster = 'make a Kubernetes cluster on this machine, and what rollups need in one';
  const rollup = 'describe an EVM rollup, and deploy it';
  const upgrade = 'plan changes of a rollup that runs';
  const bridge = 'check what a bridge account holds, owes and has paid';
  const children = {
    archive: named === 'archive' ? (await import('./commands/archive.ts')).archiveCommands(cli) : [],
    bridge: named === 'bridge' ? (await import('./commands/bridge/bridge.ts')).bridgeCommands(cli, connect) : [],
    bundle: named === 'bundle' ? (await import('./commands/bundle/bundle.ts')).bundleCommands(cli, connect) : [],
    cluster: named === 'cluster' ? (await import('./commands/cluster/cluster.ts')).clusterCommands(cli) : [],
    dev: named === 'dev' ? (await import('./commands/dev/dev.ts')).devCommands(cli) : [],
    keys: named === 'keys' ? (await import('./commands/keys/keys.ts')).keysCommands(cli) : [],
    network: named === 'network' ? (await import('./commands/network/network.ts')).networkCommands(cli) : [],
    evm: named === 'evm' ? (await import('./commands/evm/evm.ts')).evmCommands(cli, connect) : [],
    rollup: named === 'rollup' ? (await import('./commands/manifest/config.ts')).rollupCommands(cli, connect) : [],
    upgrade: named === 'upgrade' ? (await import('./commands/upgrade.ts')).upgradeCommands(cli) : [],
    sequencer:
      named === 'sequencer' ? (await import('./commands/sequencer/sequencer.ts')).sequencerCommands(cli, connect) : [],
  };
  return program
    .addCommand(named === 'up' ? (await import('./commands/up.ts')).upCommand(cli, up) : group('up', up, []))
    .addCommand(group('dev', dev, children.dev))
    .addCommand(group('sequencer', sequencer, children.sequencer))
    .addCommand(group('evm', evm, children.evm))
    .addCommand(group('rollup', rollup, children.rollup))
    .addCommand(group('bundle', bundle, children.bundle))
    .addCommand(group('cluster', cluster, children.cluster))
    .addCommand(group('keys', keys, children.keys))
    .addCommand(group('network', network, children.network))
    .addCommand(group('archive', archive, children.archive))
    .addCommand(group('bridge', bridge, children.bridge))
    .addCommand(group('upgrade', upgrade, children.upgrade))
    .addCommand(exportCommand(cli))
    .addCommand(newCommand(cli))
    .addCommand(verifyCommand(cli))
    .addCommand(repairCommand(cli))
    .addCommand(rebuildCommand(cli))
    .addCommand(replayCommand(cli))
    .addCommand(mcpCommand(cli, (one, parts) => switchyard(one, parts, connect)))
    .addCommand(completionCommand(cli))
    .addCommand(versionCommand(cli));
}

export function main(argv: readonly string[]): Promise<void> {
  return runMain((cli, args) => switchyard(cli, args), argv);
}

/** `switchyard version`: facts for a report of a problem. */
function versionCommand(cli: Cli) {
  return leaf('version', 'show the version of Switchyard, Node and the system', '', '--json').action(() => {
    const facts = { version: VERSION, node: process.versions.node, platform: platform(), arch: arch() };
    cli.print(facts, `switchyard ${facts.version}, node ${facts.node}, ${facts.platform} ${facts.arch}`);
  });
}
