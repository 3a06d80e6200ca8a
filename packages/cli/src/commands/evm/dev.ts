import { resolve } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { usage } from '@switchyard/service/failure';
import { integerReader, u64Reader } from '../../arguments.ts';
import { type Cli, leaf, repeated } from '../../cli.ts';

/** `switchyard evm dev`: the EVM node without a sequencer, for the tests of contracts. */
export function devCommand(cli: Cli) {
  return leaf(
    'dev',
    'an EVM node of its own for tests, without a sequencer, which answers the methods of anvil and Hardhat, until Ctrl+C',
    '--port 8545',
  )
    .option('--host <address>', 'address of JSON-RPC: everyone who reaches it controls the chain', '127.0.0.1')
    .option('--port <number>', 'port of JSON-RPC', integerReader('--port', 0, 65_535), 8545)
    .option('--chain-id <number>', 'chain id (default: 31337)', u64Reader('--chain-id', 1n))
    .option(
      '--accounts <number>',
      'accounts that have funds and are signed for, at most 1000',
      integerReader('--accounts', 0, 1_000),
      10,
    )
    .option(
      '--mnemonic <words>',
      "words of BIP-39 from which the accounts are derived, at m/44'/60'/0'/0 (default: those of anvil and Hardhat)",
    )
    .option('--balance <ether>', 'ether of each account (default: 10000)', u64Reader('--balance'))
    .option(
      '--timestamp <seconds>',
      'time of the first block, from which the clock runs (default: now)',
      integerReader('--timestamp', 0, Number.MAX_SAFE_INTEGER),
    )
    .option(
      '--block-time <seconds>',
      'time between blocks (default: a block for each transaction)',
      integerReader('--block-time', 0, 86_400),
    )
    .option('--mixed-mining', 'a block for each transaction besides those of --block-time')
    .option('--no-mining', 'only blocks on request, by evm_mine and the like')
    .option('--auto-impersonate', 'send for every account, also without its key')
    .option(
      '--code-size-limit <bytes>',
      'code that a contract may have (default: 24576)',
      integerReader('--code-size-limit', 1, 131_072),
    )
    .option(
      '--state <file>',
      "load accounts from the file if it is there, and write them to it at the end, in anvil's format",
    )
    .option('--state-dir <directory>', 'keep the chain there (default: in memory)')
    .option('--no-predeploys', 'without Multicall3, Permit2 and the EntryPoints in the first block')
    .addOption(
      new Option('--hardfork <name>', 'rules of every block')
        .choices(['cancun', 'prague', 'osaka', 'amsterdam'])
        .default('osaka'),
    )
    .option(
      '--allow-origin <origin>',
      'web page that may sign, send and change the chain, besides those of this machine, such as https://remix.ethereum.org; repeatable, * for any',
      repeated,
    )
    .addOption(new Option('--fork-url <url>').hideHelp())
    .option('--silent', 'no lines about transactions and calls')
    .action(async (options) => {
      const { listen, pageOrigin } = await import('@switchyard/service/settings');
      const { STANDALONE_ENTRY } = await import('../../dev/services/builtin.ts');
      const { fromOption, runEntry } = await import('./run-entry.ts');
      const { port, chainId = 31_337n, accounts, blockTime = 0, stateDir, allowOrigin = [] } = options;
      const { host, mnemonic, balance, timestamp, codeSizeLimit, state } = options;
      const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
      if (listen.fromText(address) === undefined)
        throw usage(`--host: expected a host name or an address, got ${JSON.stringify(host)}`);
      if (options.forkUrl !== undefined)
        throw usage(
          '--fork-url: there is no fork mode: load the accounts that a test needs, with --state or anvil_loadState',
        );
      if (options.mixedMining && blockTime === 0) throw usage('--mixed-mining: expected --block-time with it');
      if (!options.mining && blockTime > 0) throw usage('--no-mining: expected no --block-time with it');
      if (state !== undefined && stateDir !== undefined)
        throw usage('--state: expected no --state-dir with it, which keeps the whole chain');
      for (const origin of allowOrigin) {
        if (pageOrigin.fromText(origin) === undefined)
          throw usage(
            `--allow-origin: expected an origin such as ${pageOrigin.example}, or *, got ${JSON.stringify(origin)}`,
          );
      }
      const at = (path: string | undefined) => (path === undefined ? path : resolve(cli.world.directory, path));
      await runEntry(cli.world, 'the node', STANDALONE_ENTRY, {
        SVC_EVM_STANDALONE_HTTP_ADDR: [host === '127.0.0.1' ? '--port' : '--host', address],
        SVC_EVM_STANDALONE_CHAIN_ID: ['--chain-id', String(chainId)],
        SVC_EVM_STANDALONE_ACCOUNTS: ['--accounts', String(accounts)],
        SVC_EVM_STANDALONE_BLOCK_TIME: ['--block-time', String(blockTime)],
        SVC_EVM_STANDALONE_MIXED_MINING: String(options.mixedMining === true),
        SVC_EVM_STANDALONE_NO_MINING: String(!options.mining),
        SVC_EVM_STANDALONE_AUTO_IMPERSONATE: String(options.autoImpersonate === true),
        SVC_EVM_STANDALONE_MNEMONIC: fromOption('--mnemonic', mnemonic),
        SVC_EVM_STANDALONE_BALANCE: fromOption('--balance', balance),
        SVC_EVM_STANDALONE_TIMESTAMP: fromOption('--timestamp', timestamp),
        SVC_EVM_STANDALONE_CODE_SIZE_LIMIT: fromOption('--code-size-limit', codeSizeLimit),
        SVC_EVM_STANDALONE_STATE_FILE: fromOption('--state', at(state)),
        SVC_EVM_STANDALONE_STATE_DIR: fromOption('--state-dir', at(stateDir)),
        SVC_EVM_STANDALONE_PREDEPLOYS: String(options.predeploys),
        SVC_EVM_STANDALONE_HARDFORK: options.hardfork,
        SVC_EVM_STANDALONE_ALLOWED_ORIGINS: fromOption(
          '--allow-origin',
          allowOrigin.length > 0 ? allowOrigin.join(',') : undefined,
        ),
        SVC_EVM_STANDALONE_LOG: options.silent ? 'warn' : undefined,
        SVC_EVM_STANDALONE_NO_METRICS: 'true',
      });
    });
}
