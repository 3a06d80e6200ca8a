import type { Command } from 'commander';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { heightsText } from '../../deployments/heights.ts';
import { columns, plain } from '../../print.ts';
import { openTarget, type TargetOptions, urlLines, withNamespace } from './options.ts';

/** `switchyard rollup deployment status <name>` */
export function statusCommand(cli: Cli, connect: Connections): Command {
  return withNamespace(
    leaf('status', 'show the head of a rollup, its soft and firm blocks, and what of it is ready or why not', 'cosmic'),
  )
    .argument('<name>', 'name of the rollup')
    .action(async (name: string, options: TargetOptions) => {
      const status = await (await openTarget(options, cli, connect)).status(name);
      const { where, state, head, parts, urls, heights } = status;
      const shown = heightsText(heights);
      cli.print(status, [
        `rollup ${name} in ${where}: ${state}${head === undefined ? '' : `, head ${head}`}`,
        ...(shown === '' ? [] : [shown]),
        ...columns(parts.map((part) => [part.name, part.isReady ? 'ready' : 'not ready', plain(part.note)])),
        ...columns(urlLines(urls)),
      ]);
    });
}
