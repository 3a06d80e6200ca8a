import { rmSync } from 'node:fs';
import {
  editManifest,
  FIELDS,
  fieldAt,
  type Manifest,
  type ManifestField,
  type ManifestKey,
  manifestFields,
  manifestSchema,
} from '@switchyard/stack';
import { type Cli, group, leaf } from '../../cli.ts';
import type { Connections } from '../../connect.ts';
import { described } from '../../described.ts';
import { attempt, replaceFiles } from '../../dev/files/files.ts';
import { columns, jsonText } from '../../print.ts';
import { deploymentCommands } from '../deployment/deployment.ts';
import { confirm } from '../dev/confirm.ts';
import { checkCommand } from './check.ts';
import { createCommand } from './create.ts';
import { manifestPath, noteLargeId, openManifest, refusePublicId, withManifest } from './file.ts';

/** `switchyard rollup ...`: the manifest of a rollup, and its deployment. */
export function rollupCommands(cli: Cli, connect: Connections) {
  return [
    group('config', 'write, change and check the manifest of a rollup', [
      createCommand(cli, connect),
      editCommand(cli),
      showCommand(cli),
      checkCommand(cli, connect),
      deleteCommand(cli),
      schemaCommand(cli),
    ]),
    deploymentCommands(cli, connect),
  ];
}

function editCommand(cli: Cli) {
  return withManifest(
    leaf('edit', 'set one value; comments stay', '--config cosmic-rollup-conf.yaml faucet.enabled false'),
  )
    .argument('<key>', 'such as config.rollup.networkId; `config show` lists all')
    .argument('<value>', 'accounts are written as address:balance, separated by commas')
    .option('--force', 'use a network id of a public network')
    .action((key, value, options) => {
      described(undefined, () => fieldAt(key));
      const { path, text, mode } = openManifest(manifestPath(options, cli), cli);
      const { text: edited, manifest } = described(path, () => editManifest(text, key, value));
      if (key === manifestFields.networkId.path) {
        refusePublicId(manifest.networkId, options.force === true);
        noteLargeId(manifest.networkId, cli);
      }
      replaceFiles([{ path, text: edited, mode }]);
      cli.print({ file: path, key, value }, `set ${key} in ${path}`);
    });
}

function showCommand(cli: Cli) {
  return withManifest(
    leaf('show', 'show every key with its value, and whether that is a default', '--config cosmic-rollup-conf.yaml'),
  ).action((options) => {
    const { path, manifest, defaults, notes } = openManifest(manifestPath(options, cli), cli);
    const fields = FIELDS.filter(([, { only = manifest.kind }]) => only === manifest.kind);
    const rows = fields.flatMap(([key, field]) =>
      shownValues(field, key, manifest).map((value, index) => [
        index === 0 ? field.path : '',
        value,
        index === 0 && defaults.has(key) ? 'default' : '',
      ]),
    );
    const values = fields.map(([key, field]) => [
      field.path,
      manifest[key] === undefined ? null : field.rule.written(manifest[key]),
    ]);
    const defaultPaths = fields.filter(([key]) => defaults.has(key)).map(([, field]) => field.path);
    cli.print({ file: path, values: Object.fromEntries(values), defaults: defaultPaths, notes }, columns(rows));
  });
}

/** One line, or one for each account. */
function shownValues({ rule }: ManifestField<unknown>, key: ManifestKey, manifest: Manifest): string[] {
  if (key === 'genesisAccounts') return manifest.genesisAccounts.map(({ address, balance }) => `${address}:${balance}`);
  const text = String(rule.written(manifest[key]));
  return [manifest[key] === undefined ? '-' : text.replaceAll(/\s*\n\s*/g, ' ').trim()];
}

function deleteCommand(cli: Cli) {
  return withManifest(
    leaf('delete', 'delete a manifest; its deployments stay', '--config cosmic-rollup-conf.yaml --yes'),
  )
    .option('--yes', 'do not ask')
    .action(async (options) => {
      // Read first, so that nothing else is deleted by a mistyped path.
      const { path, manifest } = openManifest(manifestPath(options, cli), cli);
      await confirm(cli, {
        yes: options.yes,
        what: [`${path} describes rollup ${manifest.name}`],
        question: 'Delete it?',
        verb: 'delete',
      });
      attempt(path, 'deleted', () => rmSync(path));
      cli.print({ file: path, deleted: true }, `deleted ${path}`);
    });
}

function schemaCommand(cli: Cli) {
  return leaf('schema', 'print the JSON Schema of manifests, for editors', '').action(() => {
    cli.print(manifestSchema(), jsonText(manifestSchema()));
  });
}
