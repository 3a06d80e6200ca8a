import { NOTHING, type RunningExplorer, withExplorer } from '../support/explorer.ts';
import { until } from '../support/network.ts';
import { BLOCK_TRANSACTIONS, type EvmFeed, evmFeed, FEED_NAME } from './evm-feed.ts';
import { type Page, slowest, withDirectory } from './explorer-pages.ts';
import { type Measure, type Options, type Row, row } from './measure.ts';

const MAX_FILL_MS = 1_800_000;
/** Indexed while pages are read: the rate that an explorer has to keep up with. */
const LIVE_TRANSACTIONS_PER_SECOND = 2_000;

/** The newest block of the rollup in the index. */
async function reached({ node }: RunningExplorer): Promise<number> {
  const { rollups } = (await node.json('/v1/status')) as { rollups: readonly { name: string; number: number }[] };
  return rollups.find((each) => each.name === FEED_NAME)?.number ?? 0;
}

/** All kinds of pages, by their names in the output. */
function makePages(feed: EvmFeed, transactions: number): ReadonlyMap<string, Page> {
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

/** How fast the explorer indexes an EVM rollup, and how fast it answers from a large index. */
export const evmPages: Measure = ({ 'long-run': transactions, progress }) =>
  withDirectory((directory) => pagesFrom(directory, transactions, progress));

async function pagesFrom(directory: string, transactions: number, progress: Options['progress']): Promise<Row[]> {
  const feed = await evmFeed(transactions);
  const base = `/v1/rollups/${FEED_NAME}/evm`;
  const kinds = makePages(feed, transactions);
  const newest = Math.ceil(transactions / BLOCK_TRANSACTIONS);
  const env = {
    SVC_EXPLORER_EVM_URLS: feed.url,
    // The measured part needs no sequencer.
    SVC_EXPLORER_SEQUENCER_ABCI_ENDPOINT: NOTHING,
    SVC_EXPLORER_SEQUENCER_GRPC_ENDPOINT: NOTHING,
  };
  try {
    return await withExplorer({ directory, env }, async (explorer) => {
      const start = performance.now();
      await until('the whole index', async () => (await reached(explorer)) >= newest || undefined, MAX_FILL_MS);
      const rate = (transactions * 1_000) / (performance.now() - start);
      progress(`${rate.toFixed(0)} transactions a second indexed`);
      const still = await slowest(explorer, base, kinds, progress);
      progress(`while ${LIVE_TRANSACTIONS_PER_SECOND} transactions a second are indexed:`);
      const grown = feed.grow(LIVE_TRANSACTIONS_PER_SECOND);
      const live = await slowest(explorer, base, kinds, progress);
      const end = grown();
      const behind = end / BLOCK_TRANSACTIONS - (await reached(explorer));
      const item = `with ${transactions} EVM transactions`;
      return [
        row(['EVM transactions indexed, from an empty index', '1/s', '>= 2000'], [rate]),
        row([`slowest page ${item}, p99 of 8 readers`, 'ms', '<= 100'], [still]),
        row([`the same, while it indexes ${LIVE_TRANSACTIONS_PER_SECOND} a second`, 'ms', '<= 100'], [live]),
        row(['blocks that it is behind after it', '', '<= 8'], [behind]),
        row([`resident memory ${item}`, 'MiB', '<= 300'], [explorer.usage().residentMiB]),
        row(['index for each transaction', 'bytes'], [explorer.indexBytes() / end]),
      ];
    });
  } finally {
    await feed.close();
  }
}
