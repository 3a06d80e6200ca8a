import { Option } from '@commander-js/extra-typings';
import { integerReader, u64Reader } from '../../arguments.ts';
import { type Cli, leaf, repeated } from '../../cli.ts';
import { usage } from '../../failure.ts';

/** `switchyard evm dev`: the EVM node without a sequencer, for the tests of contracts. */
export function devCommand(cli: Cli) {
  return leaf(
    'dev',
    'an EVM node of its own for tests, without a sequencer, which answers the methods of anvil and Hardhat, until Ctrl+C',
    '--port 8545',
  )
    .option('--port <number>', 'where JSON-RPC answers on this machine', integerReader('--port', 0, 65_535), 8545)
    .option('--chain-id <number>', 'chain id (default: 31337)', u64Reader('--chain-id', 1n))
    .option(
      '--accounts <number>',
      'development accounts that have funds, at most 10',
      integerReader('--accounts', 0, 10),
      10,
    )
    .option(
      '--block-time <seconds>',
      'time between blocks (default: a block for each transaction)',
      integerReader('--block-time', 0, 86_400),
    )
    .option('--state-dir <directory>', 'keep the chain there (default: in memory)')
    .option('--no-predeploys', 'without Multicall3, Permit2 and the EntryPoints in the first block')
    .addOption(
      new Option('--hardfork <name>', 'rules of every block').choices(['cancun', 'prague', 'osaka']).default('osaka'),
    )
    .option(
      '--allow-origin <origin>',
      'web page that may sign, send and change the chain, besides those of this machine, such as https://remix.ethereum.org; repeatable, * for any',
      repeated,
    )
    .action(async (options) => {
      const [{ resolve }, { pageOrigin }, { STANDALONE_ENTRY }, { runEntry }] = await Promise.all([
        import('node:path'),
        import('@switchyard/service/settings'),
        import('../../dev/services/builtin.ts'),
        import('./run-entry.ts'),
      ]);
      const { port, chainId = 31_337n, accounts, blockTime = 0, stateDir, allowOrigin = [] } = options;
      for (const origin of allowOrigin) {
        if (pageOrigin.fromText(origin) === undefined)
          throw usage(
            `--allow-origin: expected an origin such as ${pageOrigin.example}, or *, got ${JSON.stringify(origin)}`,
          );
      }
      await runEntry(cli.world, 'the node', STANDALONE_ENTRY, {
        SVC_EVM_STANDALONE_HTTP_ADDR: `127.0.0.1:${port}`,
        SVC_EVM_STANDALONE_CHAIN_ID: String(chainId),
        SVC_EVM_STANDALONE_ACCOUNTS: String(accounts),
        SVC_EVM_STANDALONE_BLOCK_TIME: String(blockTime),
        ...(stateDir === undefined ? {} : { SVC_EVM_STANDALONE_STATE_DIR: resolve(cli.world.directory, stateDir) }),
        SVC_EVM_STANDALONE_PREDEPLOYS: String(options.predeploys),
        SVC_EVM_STANDALONE_HARDFORK: options.hardfork,
        ...(allowOrigin.length > 0 && { SVC_EVM_STANDALONE_ALLOWED_ORIGINS: allowOrigin.join(',') }),
        SVC_EVM_STANDALONE_NO_METRICS: 'true',
      });
    });
}
