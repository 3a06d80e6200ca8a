import { type Cli, leaf } from '../../cli.ts';
import { confirm } from '../dev/confirm.ts';
import { clustersOf, withCluster } from './options.ts';

/** `switchyard cluster delete` */
export function deleteCommand(cli: Cli) {
  return withCluster(
    leaf('delete', 'delete a cluster of this machine, with all that is in it', '--name switchyard --yes'),
  )
    .option('-y, --yes', 'do not ask')
    .action(async (options) => {
      const clusters = clustersOf(options, cli);
      const { name } = options;
      await clusters.mustHave(name);
      await confirm(cli, {
        yes: options.yes,
        what: [`deletes cluster ${name} of ${clusters.provider}, with all rollups and volumes in it`],
        question: 'Delete it?',
        verb: 'delete',
      });
      await clusters.delete(name);
      cli.print({ name, provider: clusters.provider }, `cluster ${name} is deleted`);
    });
}
