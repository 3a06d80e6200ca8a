import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formatAddress } from '@switchyard/protocol';
import { cometbft, configure, createCometNetwork } from '../support/comet.ts';
import { createNetwork, until } from '../support/network.ts';
import { ask } from '../support/submitting.ts';
import { type App, type Chain, commitTime, LANES, LENGTH, signers, submission, throughput } from './comet-load.ts';
import { fullBlock } from './full-block.ts';
import { type Measure, repeated, seconds } from './measure.ts';
import { INSTANCE } from './network.ts';

/** Settings of the tool for one machine: a pause after each block, in which transactions gather. */
const SETTINGS = {
  'rpc.max_request_batch_size': 100,
  'p2p.flush_throttle_timeout': '10ms',
  'p2p.send_rate': 20_480_000,
  'p2p.recv_rate': 20_480_000,
  'consensus.timeout_commit': '100ms',
  'consensus.skip_timeout_commit': false,
};

/** Runs CometBFT's kvstore as a process. Alongside CometBFT, where `node scripts/cometbft.mjs` puts both. */
const abciCli = join(dirname(cometbft ?? ''), 'abci-cli');

/** @returns the reason why nothing can be measured here, if there is one. */
export const noComet = (): string | undefined =>
  cometbft === undefined || !existsSync(abciCli)
    ? 'no cometbft with its abci-cli found: node scripts/cometbft.mjs builds both, with Go'
    : undefined;

/** The first state of a local network, with our accounts in it. */
async function firstState() {
  const network = await createNetwork({ instance: INSTANCE });
  try {
    const file = join(network.home, network.instance, 'config', 'genesis.json');
    const { app_state: appState, consensus_params: params } = JSON.parse(readFileSync(file, 'utf8'));
    for (const { account } of signers) {
      appState.accounts.push({ address: { bech32m: formatAddress(account) }, balance: { lo: '1000000000000000' } });
    }
    return { appState, consensusParams: { block: params.block } };
  } finally {
    await network.dispose();
  }
}

/** Validators with one of the two applications, all else the same, disposed of after `use`. */
async function withChain<T>(
  app: App,
  { validators, settings = {} }: { validators: number; settings?: Record<string, string | boolean> },
  use: (chain: Chain) => Promise<T>,
): Promise<T> {
  const network = await createCometNetwork({
    validators,
    ...(await firstState()),
    ...(app === 'kvstore' && {
      program: (socket: string) => [abciCli, 'kvstore', '--address', socket, '--log_level', 'error'],
    }),
  });
  try {
    const start = async () => {
      await Promise.all(network.nodes.map((node) => node.start()));
    };
    for (const { home } of network.nodes) {
      configure(join(home, 'comet'), { ...SETTINGS, ...settings });
    }
    await start();
    /** CometBFT first: without its application it would take long to end. */
    const stop = async () => {
      for (const { comet, app: own } of network.nodes) {
        await comet.stop();
        await own.stop();
      }
    };
    await until('the first blocks', async () => ((await network.nodes[0]?.height()) ?? 0n) >= 2n || undefined, 60_000);
    return await use({ app, rpcs: network.nodes.map(({ rpc }) => rpc), start, stop });
  } finally {
    await network.dispose();
  }
}

/** A warm-up, since code that is compiled in its first run is not to be measured: several validators have a part of the cores each. */
const WARM_UP_SECONDS = { one: 8, several: 24 } as const;

/** Ours and kvstore in turns, each time on a new chain. */
function sideBySide(validators: number): Measure {
  const who = validators === 1 ? 'one validator' : `${validators} validators`;
  const commit = 'broadcast to commit p50 at 200 tx/s';
  const figures = {
    rate: [`${who}, ours, ${LENGTH} bytes each`, 'tx/s'],
    commit: [`${who}, ours, ${commit}`, 'ms'],
    kvstoreRate: [`${who}, kvstore, ${LENGTH} bytes each`, 'tx/s'],
    kvstoreCommit: [`${who}, kvstore, ${commit}`, 'ms'],
    ratio: [`${who}, ours ÷ kvstore`, 'ratio', '>= 0.7'],
    commitRatio: [`${who}, the same of the time to commit`, 'ratio', '<= 1.2'],
  } as const;
  return (options) => {
    const measured = (app: App) =>
      withChain(app, { validators }, async (chain) => {
        const nonces: number[] = [];
        await throughput(chain, nonces, validators === 1 ? WARM_UP_SECONDS.one : WARM_UP_SECONDS.several);
        const time = await commitTime(chain, nonces);
        return { time, rate: await throughput(chain, nonces, options.seconds) };
      });
    return repeated(options, who, figures, async () => {
      const [own, kvstore] = [await measured('ours'), await measured('kvstore')];
      return {
        rate: own.rate,
        commit: own.time,
        kvstoreRate: kvstore.rate,
        kvstoreCommit: kvstore.time,
        ratio: own.rate / kvstore.rate,
        commitRatio: own.time / kvstore.time,
      };
    });
  };
}

/** Both processes end and start again, until the next block. */
const restart: Measure = (options) => {
  const { blocks, progress } = options;
  const settings = {
    'consensus.skip_timeout_commit': true,
    'consensus.timeout_commit': '0s',
    'consensus.create_empty_blocks_interval': '0s',
  };
  return withChain('ours', { validators: 1, settings }, async (chain) => {
    const url = `${chain.rpcs[0]}/status`;
    const height = async () => Number((await ask(url)).body.result.sync_info.latest_block_height);
    progress(`restart: making ${blocks} blocks`);
    await until(`${blocks} blocks`, async () => (await height()) >= blocks || undefined, blocks * 100 + 60_000);
    const figures = { start: [`start with ${blocks} blocks, to the next block`, 's', '<= 10'] } as const;
    return repeated(options, 'restart', figures, async () => {
      const before = await height();
      await chain.stop();
      const start = await seconds(async () => {
        await chain.start();
        await until('the next block', async () => (await height()) > before + 1 || undefined, 120_000);
      });
      return { start };
    });
  });
};

const block: Measure = async (options) => {
  const nonces: number[] = [];
  return fullBlock(options, await firstState(), (index) => submission(nonces, index % LANES));
};

/** Our sequencer, and CometBFT's own kvstore in a process of its own as well, under the same CometBFT. */
export const consensus = { one: sideBySide(1), four: sideBySide(4), block, restart };
