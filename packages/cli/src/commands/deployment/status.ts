import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { heightsLines } from '../../deployments/heights.ts';
import { columns, plain } from '../../print.ts';
import { deploymentOf, openTarget, urlLines, withDeployment } from './options.ts';

/** `switchyard rollup deployment status [name]` */
export function statusCommand(cli: Cli, connect: Connections) {
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
      const { name, where: at } = deploymentOf(named, options, cli);
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
