import { resolve } from 'node:path';
import { type Cli, leaf } from '../../cli.ts';
import { withInstance } from './options.ts';
import { stoppedInstance } from './removing.ts';

/** `switchyard dev compact [directory]` */
export function compactCommand(cli: Cli) {
  return withInstance(
    leaf('compact', 'give pages of databases that are free back to the disk', '', '/var/lib/switchyard --sparse'),
  )
    .argument('[directory]', 'databases below it, of processes that do not run; otherwise those of the instance')
    .option('--sparse', 'only large ones of which most is free, as a start does')
    .action(async (directory, options) => {
      const { compactStores, ON_COMMAND, SPARSE } = await import('@switchyard/storage');
      const below = directory ?? (await stoppedInstance(options, cli, 'compact its databases')).data;
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
