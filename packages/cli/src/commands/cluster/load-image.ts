import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Cli, leaf } from '../../cli.ts';
import { systemReason } from '../../dev/files/files.ts';
import { Failure } from '../../failure.ts';
import { clustersOf, withCluster } from './options.ts';

/** `switchyard cluster load-image FILE` */
export function loadImageCommand(cli: Cli) {
  return withCluster(leaf('load-image', 'put an image into a cluster of this machine, without a registry', 'image.tar'))
    .argument('<file>', 'a docker-archive, as `docker save` and `npm run image` write it')
    .action(async (file, options) => {
      const path = resolve(cli.world.directory, file);
      mustBeFile(path);
      const clusters = clustersOf(options, cli);
      const { name } = options;
      await clusters.load(name, path);
      cli.print({ name, provider: clusters.provider, file: path }, `${path} is in cluster ${name}`);
    });
}

function mustBeFile(path: string): void {
  try {
    if (statSync(path).isFile()) return;
  } catch (error) {
    throw new Failure(`${path}: cannot be read: ${systemReason(error)}`, undefined, { cause: error });
  }
  throw new Failure(`${path}: expected a file, got something else`);
}
