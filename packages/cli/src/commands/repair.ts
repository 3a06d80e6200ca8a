import { resolve } from 'node:path';
import { type Cli, leaf } from '../cli.ts';
import type { Repair } from '../dev/stores/repair.ts';

export function repairCommand(cli: Cli) {
  return leaf('repair', 'repair damaged stores; damaged files are kept next to them', '/var/lib/switchyard/sequencer')
    .argument('<path>', 'the directory that a message about damage names, or one above it')
    .addHelpText('after', HELP)
    .action(async (path) => {
      const { repairAll } = await import('../dev/stores/repair.ts');
      const repairs = repairAll(resolve(cli.world.directory, path));
      cli.print({ repairs }, repairs.length === 0 ? 'nothing is damaged' : repairs.flatMap(formatLines));
    });
}

const HELP = `
The process that uses a store has to be stopped. State of the sequencer and of rollups, and indexes, are set aside and made
again from the blocks at the next start. Of the composer's queue and the faucet's ledger, records whose checksum is
right are saved, and losses are listed. Lost blocks of the solo sequencer are taken from a snapshot of the instance.
Nothing is deleted.`;

function formatLines({ directory, kind, done, aside, lost }: Repair): string[] {
  return [
    `repaired ${directory} (${kind}): ${done}`,
    ...(aside === undefined ? [] : [`  the damaged files are in ${aside}`]),
    ...lost.map((what) => `  lost: ${what}`),
  ];
}
