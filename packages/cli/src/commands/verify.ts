import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure } from '@switchyard/service/failure';
import type { Cli } from '../cli.ts';
import type { StoreReport } from '../dev/stores/verify.ts';
import { sizeText } from '../print.ts';
import { getPaths, instanceLeaf } from './dev/options.ts';

export function verifyCommand(cli: Cli) {
  return instanceLeaf(
    'verify',
    'read everything that is stored, and check it; nothing is changed',
    '',
    '/var/lib/switchyard/sequencer',
  )
    .argument('[path]', 'a directory with stores of ours (default: the data of the instance)')
    .addHelpText('after', HELP)
    .action(async (path, options) => {
      const { verifyAll } = await import('../dev/stores/verify.ts');
      const root = path === undefined ? (await getPaths(options, cli)).data : resolve(cli.world.directory, path);
      if (!existsSync(root)) throw new Failure(`${root}: is absent: nothing to verify`);
      const stores = verifyAll(root);
      const damaged = stores.filter(({ problems }) => problems.length > 0);
      const nothing = `no store of ours is in ${root}`;
      cli.print(
        { root, ok: damaged.length === 0, stores },
        stores.length === 0 ? nothing : stores.flatMap(formatLines),
      );
      if (damaged.length > 0) throw new Failure(`${damaged.length} of ${stores.length} stores are damaged`);
    });
}

const HELP = `
Records are checked by their checksums, files by their structure, the state of sequencer and rollups by deriving its root
from its values, blocks of the solo sequencer by their hashes. Works on a running network too. Ends with status 1 when
something is damaged, and prints the command that repairs it.`;

function formatLines({ directory, kind, records, bytes, checked, problems, repair }: StoreReport): string[] {
  const state = problems.length === 0 ? 'ok' : 'DAMAGED';
  return [
    `${state}  ${directory}  ${kind}: ${records} records, ${sizeText({ files: 1, bytes })}; checked ${checked}`,
    ...problems.map(({ file, what }) => `  ${file}: ${what}`),
    ...(repair === undefined ? [] : [`  repair it with: ${repair}`]),
  ];
}
