import { editManifest, fieldAt, manifestFields } from '@switchyard/stack';
import { type Cli, leaf } from '../../cli.ts';
import { replaceFiles } from '../../dev/files/files.ts';
import { described, manifestPath, noteLargeId, openManifest, refusePublicId, withManifest } from './file.ts';

/** `switchyard rollup config edit KEY VALUE` */
export function editCommand(cli: Cli) {
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
