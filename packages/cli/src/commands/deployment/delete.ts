import type { Command } from 'commander';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { openTarget, type TargetOptions, withNamespace } from './options.ts';

/** `switchyard rollup deployment delete <name>` */
export function deleteCommand(cli: Cli, connect: Connections): Command {
  return withNamespace(
    leaf(
      'delete',
      'remove what a rollup was deployed as, and nothing else; its volumes are kept',
      'cosmic',
      'cosmic --volumes',
    ),
  )
    .argument('<name>', 'name of the rollup')
    .option('--volumes', 'remove its volumes too: its blocks, claims and index are lost')
    .action(async (name: string, options: TargetOptions & { readonly volumes?: true }) => {
      const target = await openTarget(options, cli, connect);
      await target.delete(name, { volumes: options.volumes === true });
    });
}
