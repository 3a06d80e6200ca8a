import { relative, resolve } from 'node:path';
import { relayerAccount } from '@switchyard/network/accounts';
import { composeOf, hasLocalLayer } from '@switchyard/stack';
import { quoted } from '@switchyard/storage/damaged';
import { type Cli, leaf } from '../../cli.ts';
import { coinFindings } from '../../deployments/preflight/bridge.ts';
import { described, manifestPath, openManifest, withManifest } from '../manifest/file.ts';
import { writeDirectory } from './directory.ts';

/** `switchyard rollup deployment compose` */
export function composeCommand(cli: Cli) {
  return withManifest(
    leaf(
      'compose',
      'write a file for `docker compose` that runs a rollup as containers of one machine',
      '--config cosmic-rollup-conf.yaml',
      '--config cosmic-rollup-conf.yaml --out deploy --force',
    ),
  )
    .option('--out <directory>', 'where; default: <name>-compose here')
    .option('--force', 'write over files that are there')
    .action((options) => {
      const { path, manifest } = openManifest(manifestPath(options, cli), cli);
      const directory = resolve(cli.world.directory, options.out ?? `${manifest.name}-compose`);
      const { files, secrets, genesis } = described(path, () => composeOf(manifest, relayerAccount.address));
      for (const { text } of coinFindings(manifest)) cli.note(`note: ${text}`);
      writeDirectory(directory, files, options.force === true);
      const shown = relative(cli.world.directory, directory) || '.';
      const missing = [...(genesis === undefined ? [] : [genesis]), ...secrets];
      cli.print({ directory, files: [...files.keys()], missing }, [
        `wrote ${shown}: ${[...files.keys()].join(', ')}`,
        `put these beside it, keys with mode 600: ${missing.join(', ')}`,
        ...(hasLocalLayer(manifest)
          ? [`the key of the relayer, which has all funds of the local layer, is public: ${relayerAccount.key}`]
          : []),
        `start it with \`SWITCHYARD_USER=$(id -u):$(id -g) docker compose --file ${quoted(`${shown}/compose.yaml`)} up --detach\``,
      ]);
    });
}
