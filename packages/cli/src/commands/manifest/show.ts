import { FIELDS, type Manifest, type ManifestField, type ManifestKey } from '@switchyard/stack';
import { type Cli, leaf } from '../../cli.ts';
import { columns } from '../../print.ts';
import { manifestPath, openManifest, withManifest } from './file.ts';

/** `switchyard rollup config show` */
export function showCommand(cli: Cli) {
  return withManifest(
    leaf('show', 'show every key with its value, and whether that is a default', '--config cosmic-rollup-conf.yaml'),
  ).action((options) => {
    const { path, manifest, defaults, notes } = openManifest(manifestPath(options, cli), cli);
    const rows = FIELDS.flatMap(([key, field]) =>
      shownValues(field, key, manifest).map((value, index) => [
        index === 0 ? field.path : '',
        value,
        index === 0 && defaults.has(key) ? 'default' : '',
      ]),
    );
    const values = FIELDS.map(([key, field]) => [
      field.path,
      manifest[key] === undefined ? null : field.rule.written(manifest[key]),
    ]);
    const defaultPaths = FIELDS.filter(([key]) => defaults.has(key)).map(([, field]) => field.path);
    cli.print({ file: path, values: Object.fromEntries(values), defaults: defaultPaths, notes }, columns(rows));
  });
}

/** One line, or one for each account. */
function shownValues({ rule }: ManifestField<unknown>, key: ManifestKey, manifest: Manifest): string[] {
  if (key === 'genesisAccounts') return manifest.genesisAccounts.map(({ address, balance }) => `${address}:${balance}`);
  return [manifest[key] === undefined ? '-' : String(rule.written(manifest[key]))];
}
