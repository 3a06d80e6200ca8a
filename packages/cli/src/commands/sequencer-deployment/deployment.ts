import { plain } from '@switchyard/protocol/hidden-characters';
import { type Cli, group, leaf } from '../../cli.ts';
import { heightsLines } from '../../deployments/heights.ts';
import { columns } from '../../print.ts';
import { withLogOptions } from '../log-options.ts';
import { createCommand, getSequencers, withNamespace } from './create.ts';

export function sequencerDeploymentCommands(cli: Cli) {
  return group('deployment', 'run a sequencer network in a Kubernetes cluster', [
    createCommand(cli),
    listCommand(cli),
    statusCommand(cli),
    logsCommand(cli),
    deleteCommand(cli),
  ]);
}

function listCommand(cli: Cli) {
  return withNamespace(leaf('list', 'list the sequencer networks of a cluster', '')).action(async (options) => {
    const listed = await (await getSequencers(options, cli)).list();
    const rows = listed.map(({ name, where, state, head }) => [name, where, state, `${head ?? '-'}`]);
    cli.print(listed, rows.length === 0 ? 'no sequencers' : columns([['NAME', 'WHERE', 'STATE', 'HEAD'], ...rows]));
  });
}

function statusCommand(cli: Cli) {
  return withNamespace(leaf('status', 'show the newest block of a network, and what of it is ready or why not', 'main'))
    .argument('<name>', 'name of the network')
    .action(async (name, options) => {
      const status = await (await getSequencers(options, cli)).status(name);
      const { where, state, head, parts, heights } = status;
      cli.print(status, [
        `sequencer ${name} in ${where}: ${state}${head === undefined ? '' : `, block ${head}`}`,
        ...heightsLines(heights),
        ...columns(parts.map((part) => [part.name, part.isReady ? 'ready' : 'not ready', plain(part.note)])),
      ]);
    });
}

function logsCommand(cli: Cli) {
  const command = withNamespace(
    leaf('logs', 'show what the nodes of a network log', 'main', 'main cometbft --lines 20 --follow'),
  )
    .argument('<name>', 'name of the network')
    .argument('[part]', 'one process: sequencer or cometbft (default: all)');
  return withLogOptions(command).action(async (name, part, { lines, follow = false, ...options }) => {
    await (await getSequencers(options, cli)).logs(name, { part, follow, lines });
  });
}

function deleteCommand(cli: Cli) {
  return withNamespace(
    leaf('delete', 'remove a network, and nothing else; its volumes are kept', 'main', 'main --volumes'),
  )
    .argument('<name>', 'name of the network')
    .option('--volumes', 'remove its volumes too: the chain is lost')
    .action(async (name, options) => {
      await (await getSequencers(options, cli)).delete(name, { volumes: options.volumes === true });
    });
}
