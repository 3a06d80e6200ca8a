import { plain } from '@switchyard/protocol/hidden-characters';
import { type Cli, group, leaf } from '../../cli.ts';
import type { Connections } from '../../connect.ts';
import { heightsLines } from '../../deployments/heights.ts';
import { columns } from '../../print.ts';
import { withLogOptions } from '../log-options.ts';
import { createCommand } from './create.ts';
import { chartCommand, composeCommand } from './files.ts';
import { openTarget, toDeployment, urlLines, withDeployment, withNamespace } from './options.ts';

export function deploymentCommands(cli: Cli, connect: Connections) {
  return group('deployment', 'run a rollup that a manifest describes', [
    createCommand(cli, connect),
    chartCommand(cli),
    composeCommand(cli),
    listCommand(cli, connect),
    statusCommand(cli, connect),
    logsCommand(cli, connect),
    deleteCommand(cli, connect),
  ]);
}

function listCommand(cli: Cli, connect: Connections) {
  return withNamespace(leaf('list', 'list the rollups that were deployed from here or elsewhere', '')).action(
    async (options) => {
      const listed = await (await openTarget(options, cli, connect)).list();
      const rows = listed.map(({ name, where, state, head }) => [name, where, state, `${head ?? '-'}`]);
      cli.print(listed, rows.length === 0 ? 'no rollups' : columns([['NAME', 'WHERE', 'STATE', 'HEAD'], ...rows]));
    },
  );
}

function statusCommand(cli: Cli, connect: Connections) {
  return withDeployment(
    leaf(
      'status',
      'show the head of a rollup, its soft and firm blocks, and what of it is ready or why not',
      'cosmic',
      '--config cosmic-rollup-conf.yaml',
    ),
  )
    .argument('[name]', 'name of the rollup (default: that of the manifest)')
    .action(async (named, options) => {
      const { name, where: at } = toDeployment(named, options, cli);
      const status = await (await openTarget(at, cli, connect)).status(name);
      const { where, state, head, parts, urls, heights } = status;
      cli.print(status, [
        `rollup ${name} in ${where}: ${state}${head === undefined ? '' : `, head ${head}`}`,
        ...heightsLines(heights),
        ...columns(parts.map((part) => [part.name, part.isReady ? 'ready' : 'not ready', plain(part.note)])),
        ...columns(urlLines(urls)),
      ]);
    });
}

function logsCommand(cli: Cli, connect: Connections) {
  const command = withDeployment(
    leaf(
      'logs',
      'show what the processes of a rollup log',
      'cosmic',
      '--config cosmic-rollup-conf.yaml evm',
      'cosmic composer --lines 20 --follow',
    ),
  )
    .argument('[name]', 'name of the rollup; not with --config')
    .argument(
      '[part]',
      'one process, such as evm or rollup, composer, conductor, withdrawer, faucet or explorer (default: all)',
    );
  return withLogOptions(command).action(async (first, second, { lines, follow = false, ...options }) => {
    // With --config, one word is the process.
    const isPart = options.config !== undefined && second === undefined;
    const [named, part] = isPart ? [undefined, first] : [first, second];
    const { name, where } = toDeployment(named, options, cli);
    await (await openTarget(where, cli, connect)).logs(name, { part, follow, lines });
  });
}

function deleteCommand(cli: Cli, connect: Connections) {
  return withDeployment(
    leaf(
      'delete',
      'remove what a rollup was deployed as, and nothing else; its volumes are kept',
      'cosmic',
      '--config cosmic-rollup-conf.yaml',
      'cosmic --volumes',
    ),
  )
    .argument('[name]', 'name of the rollup (default: that of the manifest)')
    .option('--volumes', 'remove its volumes too: its blocks, claims and index are lost')
    .action(async (named, options) => {
      const { name, where } = toDeployment(named, options, cli);
      const target = await openTarget(where, cli, connect);
      await target.delete(name, { volumes: options.volumes === true });
    });
}
