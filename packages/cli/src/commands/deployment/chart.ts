import { relative, resolve } from 'node:path';
import { chartOf } from '@switchyard/stack';
import { type Cli, leaf } from '../../cli.ts';
import { coinFindings } from '../../deployments/preflight/bridge.ts';
import { described, manifestPath, openManifest, withManifest } from '../manifest/file.ts';
import { writeDirectory } from './directory.ts';

/** `switchyard rollup deployment chart` */
export function chartCommand(cli: Cli) {
  return withManifest(
    leaf(
      'chart',
      'write a Helm chart of a rollup, for those who deploy from git',
      '--config cosmic-rollup-conf.yaml',
      '--config cosmic-rollup-conf.yaml --out charts/cosmic --force',
    ),
  )
    .option('--out <directory>', 'where; default: <name>-chart here')
    .option('--force', 'write over a chart that is there')
    .action((options) => {
      const { path, manifest } = openManifest(manifestPath(options, cli), cli);
      const directory = resolve(cli.world.directory, options.out ?? `${manifest.name}-chart`);
      const files = described(path, () => chartOf(manifest));
      for (const { text } of coinFindings(manifest)) cli.note(`note: ${text}`);
      writeDirectory(directory, files, options.force === true);
      const shown = relative(cli.world.directory, directory) || '.';
      cli.print({ directory, files: [...files.keys()] }, [
        `wrote ${shown}: ${[...files.keys()].join(', ')}`,
        `install it with \`helm install ${manifest.name} ${shown} --values keys.yaml\`, where keys.yaml has \`keys\` as values.yaml describes them`,
      ]);
    });
}
