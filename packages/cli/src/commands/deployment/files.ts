import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { relayerAccount } from '@switchyard/network/accounts';
import { Failure } from '@switchyard/service/failure';
import { hasLocalLayer, renderChart, renderCompose } from '@switchyard/stack';
import { quoted } from '@switchyard/storage/damaged';
import { type Cli, leaf } from '../../cli.ts';
import { coinFindings } from '../../deployments/preflight/bridge.ts';
import { described } from '../../described.ts';
import { attempt } from '../../dev/files/files.ts';
import { manifestPath, openManifest, withManifest } from '../manifest/file.ts';

export function chartCommand(cli: Cli) {
  return withManifest(
    leaf(
      'chart',
      'write a Helm chart of a rollup, for deployments from git',
      '--config cosmic-rollup-conf.yaml',
      '--config cosmic-rollup-conf.yaml --out charts/cosmic --force',
    ),
  )
    .option('--out <directory>', 'where; default: <name>-chart here')
    .option('--force', 'overwrite an existing chart')
    .action((options) => {
      const { path, manifest } = openManifest(manifestPath(options, cli), cli);
      const directory = resolve(cli.world.directory, options.out ?? `${manifest.name}-chart`);
      const files = described(path, () => renderChart(manifest));
      for (const { text } of coinFindings(manifest)) cli.note(`note: ${text}`);
      writeDirectory(directory, files, options.force === true);
      const shown = relative(cli.world.directory, directory) || '.';
      cli.print({ directory, files: [...files.keys()] }, [
        `wrote ${shown}: ${[...files.keys()].join(', ')}`,
        `install it with \`helm install ${manifest.name} ${shown} --values keys.yaml\`, where keys.yaml has \`keys\` as values.yaml describes them`,
      ]);
    });
}

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
    .option('--force', 'overwrite existing files')
    .action((options) => {
      const { path, manifest } = openManifest(manifestPath(options, cli), cli);
      const directory = resolve(cli.world.directory, options.out ?? `${manifest.name}-compose`);
      const { files, secrets, genesis } = described(path, () => renderCompose(manifest, relayerAccount.address));
      for (const { text } of coinFindings(manifest)) cli.note(`note: ${text}`);
      writeDirectory(directory, files, options.force === true);
      const shown = relative(cli.world.directory, directory) || '.';
      const missing = [...(genesis === undefined ? [] : [genesis]), ...secrets];
      cli.print({ directory, files: [...files.keys()], missing }, [
        `wrote ${shown}: ${[...files.keys()].join(', ')}`,
        `put these next to it, keys with mode 600: ${missing.join(', ')}`,
        ...(hasLocalLayer(manifest)
          ? [`the key of the relayer, which has all funds of the local layer, is public: ${relayerAccount.key}`]
          : []),
        `start it with \`SWITCHYARD_USER=$(id -u):$(id -g) docker compose --file ${quoted(`${shown}/compose.yaml`)} up --detach\``,
      ]);
    });
}

/** @param force Overwrite existing files. @throws {Failure} if it cannot, or there are any. */
function writeDirectory(directory: string, files: ReadonlyMap<string, string>, force: boolean): void {
  if (!force && !isEmpty(directory))
    throw new Failure(
      `${directory}: expected an empty or no directory: name another with --out, or write over it with --force`,
    );
  for (const [name, text] of files) {
    const path = join(directory, name);
    attempt(path, 'written', () => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    });
  }
}

const isEmpty = (directory: string): boolean =>
  !existsSync(directory) || attempt(directory, 'read', () => readdirSync(directory)).length === 0;
