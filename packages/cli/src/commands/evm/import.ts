import { resolve } from 'node:path';
import { type Cli, leaf } from '../../cli.ts';

/** `switchyard evm import`: a chain that was made elsewhere, with every fork that there is, checked and then served. */
export function importCommand(cli: Cli) {
  return leaf(
    'import',
    'check and store a chain that was made elsewhere, and answer JSON-RPC from it until Ctrl+C',
    '--genesis genesis.json --blocks chain.rlp',
  )
    .option('--genesis <file>', "its genesis in geth's format; only needed the first time")
    .option(
      '--blocks <file>',
      'its blocks: RLP, one after another, as `geth export` and `switchyard evm export` write them',
    )
    .option('--db <directory>', 'directory of the archive (default: ~/.switchyard/evm-archive)')
    .option('--listen <host:port>', 'where JSON-RPC answers', '127.0.0.1:8547')
    .option('--no-serve', 'end after the import')
    .action(async (options) => {
      const { ARCHIVE_ENTRY } = await import('../../dev/services/builtin.ts');
      const { fromOption, runEntry } = await import('./run-entry.ts');
      const at = (path: string | undefined) => (path === undefined ? path : resolve(cli.world.directory, path));
      await runEntry(cli.world, 'the import', ARCHIVE_ENTRY, {
        SVC_EVM_ARCHIVE_GENESIS_FILEPATH: fromOption('--genesis', at(options.genesis)),
        SVC_EVM_ARCHIVE_BLOCKS_FILEPATH: fromOption('--blocks', at(options.blocks)),
        SVC_EVM_ARCHIVE_DB_FILEPATH: fromOption('--db', at(options.db)),
        SVC_EVM_ARCHIVE_HTTP_ADDR: ['--listen', options.listen],
        SVC_EVM_ARCHIVE_SERVE: String(options.serve),
        SVC_EVM_ARCHIVE_NO_METRICS: 'true',
      });
    });
}
