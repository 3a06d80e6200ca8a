import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Failure } from '@switchyard/service/failure';
import type { Cli } from '../cli.ts';
import { getPaths, instanceLeaf } from './dev/options.ts';

/** `switchyard export`: the state of a rollup, with which another chain begins. */
export function exportCommand(cli: Cli) {
  return instanceLeaf(
    'export',
    'write the state of a rollup as the genesis of another chain',
    '--out genesis.json',
    '--rollup shop --out shop.json',
  )
    .requiredOption('--out <file>', 'the genesis file; the state is written next to it, with .state behind the name')
    .option('--rollup <name>', 'which rollup of the instance')
    .option('--network <name>', 'which network of networks-config.toml', 'local')
    .addHelpText('after', HELP)
    .action(async ({ out, rollup: wanted, ...options }) => {
      const { instanceRollup } = await import('../rebuild/instance-rollup.ts');
      const { exportDatabase } = await import('@switchyard/rollup/replay');
      const { env, directory } = cli.world;
      const paths = await getPaths(options, cli);
      const rollup = instanceRollup(paths, options.network, env, wanted, { withEvm: false });
      const { name, genesis: begun, data: database } = rollup;
      const file = resolve(directory, out);
      try {
        // A genesis without a chain id gets another one than the exported chain, since its state is in the digest.
        const { chain_id: _, ...members } = JSON.parse(await readFile(begun, 'utf8')) as Readonly<
          Record<string, unknown>
        >;
        const state = await exportDatabase(database, `${file}.state`);
        const genesis = { ...members, state_root: state.stateRoot };
        await writeFile(file, `${JSON.stringify(genesis, undefined, 2)}\n`, { flag: 'wx' });
        cli.print({ rollup: name, genesis: file, ...state }, [
          `${name}: ${state.rows} rows of the state after block ${state.number}, ${state.hash}`,
          `${file}: names their root ${state.stateRoot}`,
        ]);
      } catch (error) {
        throw new Failure(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    });
}

const HELP = `
The node may run: a copy of its database is read. A node with the written genesis and an empty database begins with this state, after it
has derived the root again. Take the blocks (since, from) out of the definition of the new chain, if they have begun in the old one, and
set the heights of the sequencer. For rollups without a virtual machine.`;
