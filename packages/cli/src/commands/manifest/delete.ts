import { rmSync } from 'node:fs';
import { type Cli, leaf } from '../../cli.ts';
import { systemReason } from '../../dev/files/files.ts';
import { Failure } from '../../failure.ts';
import { confirm } from '../dev/confirm.ts';
import { manifestPath, openManifest, withManifest } from './file.ts';

/** `switchyard rollup config delete` */
export function deleteCommand(cli: Cli) {
  return withManifest(
    leaf('delete', 'delete a manifest; what was deployed from it stays', '--config cosmic-rollup-conf.yaml --yes'),
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
      try {
        rmSync(path);
      } catch (error) {
        throw new Failure(`${path}: cannot be deleted: ${systemReason(error)}`, undefined, { cause: error });
      }
      cli.print({ file: path, deleted: true }, `deleted ${path}`);
    });
}
