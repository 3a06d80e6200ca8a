import { resolve } from 'node:path';
import { type Cli, leaf } from '../../cli.ts';
import { pathsOf, withInstance } from './options.ts';

/** `switchyard dev compact [directory]` */
export function compactCommand(cli: Cli) {
  return withInstance(
    leaf('compact', 'give pages of databases that are free back to the disk', '', '/var/lib/switchyard --sparse'),
  )
    .argument('[directory]', 'databases below it, of processes that do not run; otherwise those of the instance')
    .option('--sparse', 'only large ones of which most is free, as a start does')
    .action(async (directory, options) => {
      const [{ compactStores, ON_COMMAND, SPARSE }, { requireStopped }, { requireInstance }] = await Promise.all([
        import('@switchyard/storage'),
        import('../../dev/instance/stop.ts'),
        import('../../dev/instance/instance.ts'),
      ]);
      let below = directory;
      if (below === undefined) {
        const paths = await pathsOf(options, cli);
        requireInstance(paths);
        requireStopped(paths, 'compact its databases');
        below = paths.data;
      }
      const compacted = await compactStores(resolve(below), options.sparse ? SPARSE : ON_COMMAND);
      const lines = compacted.map(
        ({ directory: at, before, after }) => `${at}: ${megabytes(before)} to ${megabytes(after)}`,
      );
      cli.print({ compacted }, lines.length === 0 ? `nothing to gain below ${below}` : lines);
    });
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
