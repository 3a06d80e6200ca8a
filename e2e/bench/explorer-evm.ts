import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveTestChain, type TestChain, testChain } from '@switchyard/evm/testing';
import { type Abi, encodeDeployData } from 'viem';
import { compileToken } from '../support/evm.ts';
import { until } from '../support/network.ts';
import { BLOCK_TRANSACTIONS, type EvmFeed, evmFeed, FEED_NAME } from './evm-feed.ts';
import { type Page, slowest } from './explorer-pages.ts';
import { NOTHING, type RunningExplorer, withDirectory, withExplorer } from './explorer-process.ts';
import type { Row } from './statistics.ts';

export interface EvmIndexOptions {
  readonly runs: number;
  /** That a node executed before. */
  readonly transactions: number;
  /** Transactions of the index whose pages are read. */
  readonly longRun: number;
  /** Directory of that index, which is kept for the next run; a new one for each, if absent. */
  readonly index: string | undefined;
  readonly only: ReadonlySet<string>;
  readonly progress: (text: string) => void;
}

const MAX_FILL_MS = 1_800_000;
/** Indexed while pages are read: the rate that an explorer has to keep up with. */
const LIVE_TRANSACTIONS_PER_SECOND = 2_000;

/** An explorer of an EVM rollup alone. @param use Called once it has everything up to `newest`. */
function indexed<T>(
  { url, name, newest, directory }: Feed & { readonly directory: string },
  use: (explorer: RunningExplorer & { readonly seconds: number }) => Promise<T>,
): Promise<T> {
  const env = {
    SVC_EXPLORER_EVM_URLS: url,
    // The measured part needs no sequencer.
    SVC_EXPLORER_SEQUENCER_ABCI_ENDPOINT: NOTHING,
    SVC_EXPLORER_SEQUENCER_GRPC_ENDPOINT: NOTHING,
  };
  return withExplorer({ directory, env }, async (explorer) => {
    const start = performance.now();
    await until('the whole index', async () => (await reached(explorer, name)) >= newest || undefined, MAX_FILL_MS, 20);
    return use({ ...explorer, seconds: (performance.now() - start) / 1_000 });
  });
}

interface Feed {
  readonly url: string;
  /** Name of the rollup. */
  readonly name: string;
  readonly newest: number;
}

/** The newest block of the rollup in the index. */
async function reached({ node }: RunningExplorer, name: string): Promise<number> {
  const { rollups } = await node.json('/v1/status');
  const followed = rollups as readonly { readonly name: string; readonly number: number }[];
  return followed.find((each) => each.name === name)?.number ?? 0;
}

/** A chain in this process: every second transaction moves a token, the others move coins. */
async function executed(transactions: number): Promise<TestChain> {
  const chain = await testChain();
  const { abi, bytecode } = await compileToken();
  const [owner] = chain.accounts;
  if (owner === undefined) throw new Error('no account');
  const creation = encodeDeployData({ abi: abi as Abi, bytecode, args: ['Bench', 'BNC', 10n ** 24n] });
  const code = Buffer.from(creation.slice(2), 'hex');
  const { receipts } = await chain.sequence([owner.deploy(code, { gasLimit: 5_000_000n })]);
  const token = receipts[0]?.contractAddress ?? '0x';
  for (let made = 0; made < transactions; made += BLOCK_TRANSACTIONS) {
    const block = Array.from({ length: BLOCK_TRANSACTIONS }, (_, index) => {
      const to = `0x${(0x1000 + ((made + index) % 5_000)).toString(16).padStart(40, '0')}` as const;
      if (index % 2 === 0) return owner.transfer(to, 1n);
      const input = `a9059cbb${to.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`;
      return owner.call(token, Buffer.from(input, 'hex'), { gasLimit: 100_000n });
    });
    await chain.sequence(block);
  }
  return chain;
}

async function rate({ runs, transactions, progress }: EvmIndexOptions): Promise<Row[]> {
  progress(`executing ${transactions} transactions`);
  const chain = await executed(transactions);
  const served = await serveTestChain(chain);
  const newest = Number(chain.chain.heads.latest);
  const rates: number[] = [];
  try {
    for (let run = 0; run < runs; run += 1) {
      const seconds = await withDirectory((directory) =>
        indexed({ url: served.url, name: 'test-evm', newest, directory }, async (explorer) => explorer.seconds),
      );
      rates.push(transactions / seconds);
      progress(`EVM transactions: ${rates.at(-1)?.toFixed(0)}/s`);
    }
  } finally {
    await served.close();
  }
  return [{ name: 'EVM transactions indexed, from an empty index', unit: '1/s', goal: '>= 2000', runs: rates }];
}

/** All kinds of pages, by what stands for them in the output. */
function pagesOf(feed: EvmFeed, transactions: number): ReadonlyMap<string, Page> {
  const blocks = Math.floor(transactions / BLOCK_TRANSACTIONS);
  const scattered = (number: number, count: number) => 1 + ((number * 7_919) % (count - 1));
  const block = (number: number) => scattered(number, blocks);
  const ofAccount =
    (rest: string): Page =>
    (number) =>
      `/addresses/${feed.account(number)}${rest}`;
  const ofContract =
    (rest: string): Page =>
    (number) =>
      `/addresses/${feed.token(number)}${rest}`;
  const ofToken =
    (rest: string): Page =>
    (number) =>
      `/tokens/${feed.token(number)}${rest}`;
  return new Map<string, Page>([
    ['blocks', () => '/blocks?limit=100'],
    ['a block', (number) => `/blocks/${block(number)}`],
    ['transactions of a block', (number) => `/blocks/${block(number)}/transactions?limit=100`],
    ['transactions', () => '/transactions?limit=100'],
    ['transactions from a cursor on', (number) => `/transactions?limit=100&cursor=${block(number)}-7`],
    // Every second one moves a token.
    ['a transaction', (number) => `/transactions/${feed.hashOfTransaction(scattered(number, transactions))}`],
    ['an address', ofAccount('')],
    ['transactions of an address', ofAccount('/transactions?limit=100')],
    ['token transfers of an address', ofAccount('/token-transfers?limit=100')],
    ['internal calls of an address', ofAccount('/internal?limit=100')],
    ['deposits of an address', ofAccount('/deposits?limit=100')],
    ['tokens of an address', ofAccount('/tokens?limit=100')],
    ['history of an address', ofAccount('/history?points=100')],
    ['a contract', ofContract('')],
    ['transactions of a contract', ofContract('/transactions?limit=100')],
    ['logs of a contract', ofContract('/logs?limit=100')],
    ['tokens', () => '/tokens?limit=100'],
    ['a token', ofToken('')],
    ['holders of a token', ofToken('/holders?limit=100')],
    ['transfers of a token', ofToken('/transfers?limit=100')],
    ['items of a token', ofToken('/items?limit=100')],
    ['verified contracts', () => '/contracts?limit=100'],
    ['charts', (number) => `/charts?points=${100 + (number % 100)}&blocks=10000`],
  ]);
}

/** Where a kept index ends, in transactions: the chain at the feed must not be shorter. */
const ENDS_AT = 'bench-transactions';

function transactionsIn(directory: string): number {
  const file = join(directory, ENDS_AT);
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
}

async function pages({ longRun, index, progress }: EvmIndexOptions): Promise<Row[]> {
  if (index === undefined) return withDirectory((directory) => pagesFrom(directory, { longRun, progress }));
  mkdirSync(index, { recursive: true });
  return pagesFrom(index, { longRun, progress });
}

async function pagesFrom(
  directory: string,
  { longRun, progress }: Pick<EvmIndexOptions, 'longRun' | 'progress'>,
): Promise<Row[]> {
  const kept = transactionsIn(directory);
  const transactions = Math.max(longRun, kept);
  const feed = await evmFeed(transactions);
  const base = `/v1/rollups/${FEED_NAME}/evm`;
  const kinds = pagesOf(feed, transactions);
  const newest = Math.ceil(transactions / BLOCK_TRANSACTIONS);
  const of = `with ${transactions} EVM transactions`;
  const rows: Row[] = [];
  try {
    await indexed({ url: feed.url, name: FEED_NAME, newest, directory }, async (explorer) => {
      const { seconds } = explorer;
      writeFileSync(join(directory, ENDS_AT), String(transactions));
      if (kept === 0) {
        const perSecond = transactions / seconds;
        progress(`${transactions} transactions in ${seconds.toFixed(0)} s, ${perSecond.toFixed(0)}/s`);
        rows.push({ name: `${transactions} made-up ones`, unit: '1/s', goal: '>= 2000', runs: [perSecond] });
      }
      const still = await slowest(explorer, base, kinds, progress);
      progress(`while ${LIVE_TRANSACTIONS_PER_SECOND} transactions a second are indexed:`);
      const grown = feed.grow(LIVE_TRANSACTIONS_PER_SECOND);
      const live = await slowest(explorer, base, kinds, progress);
      const end = grown();
      const behind = end / BLOCK_TRANSACTIONS - (await reached(explorer, FEED_NAME));
      writeFileSync(join(directory, ENDS_AT), String(end));
      progress(`${behind} blocks behind at the end`);
      const { residentMiB } = explorer.usage();
      const p99 = { unit: 'ms', goal: '<= 100' };
      rows.push(
        { ...p99, name: `slowest page ${of}, p99 of 8 readers`, runs: [still] },
        { ...p99, name: `while it indexes ${LIVE_TRANSACTIONS_PER_SECOND} a second`, runs: [live] },
        { name: 'blocks that it is behind after it', unit: '', goal: '<= 8', runs: [behind] },
        { name: `resident memory ${of}`, unit: 'MiB', goal: '<= 300', runs: [residentMiB] },
        { name: 'index for each of them', unit: 'bytes', goal: '', runs: [explorer.indexBytes() / end] },
      );
    });
    return rows;
  } finally {
    await feed.close();
  }
}

/** How fast the explorer indexes an EVM rollup, and how fast it answers from a large index. */
export async function evmIndexRows(options: EvmIndexOptions): Promise<Row[]> {
  const { only } = options;
  return [...(only.has('evm-rate') ? await rate(options) : []), ...(only.has('evm-pages') ? await pages(options) : [])];
}
