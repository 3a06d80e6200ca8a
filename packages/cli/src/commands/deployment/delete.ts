import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { deploymentOf, openTarget, withDeployment } from './options.ts';

/** `switchyard rollup deployment delete [name]` */
export function deleteCommand(cli: Cli, connect: Connections) {
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
      const { name, where } = deploymentOf(named, options, cli);
      const target = await openTarget(where, cli, connect);
      await target.delete(name, { volumes: options.volumes === true });
    });
}
