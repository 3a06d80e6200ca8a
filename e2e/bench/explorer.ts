import { wallClock } from '@switchyard/service';
import { type RunningExplorer, withExplorer } from '../support/explorer.ts';
import { HttpClient } from '../support/http-client.ts';
import { until } from '../support/network.ts';
import { quantile } from '../support/statistics.ts';
import { ALICE, getAddress } from '../support/submitting.ts';
import { evmPages } from './explorer-evm.ts';
import { type Page, slowest, withDirectory } from './explorer-pages.ts';
import { pause, sustain } from './load.ts';
import { type Measure, repeated } from './measure.ts';
import { withNetwork } from './network.ts';

const LIVE_TEXTS_PER_SECOND = 500;
const WARM_UP_SECONDS = 4;

/** An explorer with an empty index alongside a network that has messages, and no explorer of its own. */
const messages: Measure = (options) =>
  withNetwork({ intervalMs: 100, settings: { svc_explorer_enabled: 'false' } }, async (network) => {
    const { texts } = await sustain(network, { seconds: options.seconds });
    const env = {
      HOME: network.home,
      SVC_EXPLORER_ROLLUP_URLS: network.url('rollup'),
      SVC_EXPLORER_SEQUENCER_ABCI_ENDPOINT: network.url('rpc'),
      SVC_EXPLORER_SEQUENCER_GRPC_ENDPOINT: network.url('grpc'),
    };
    const figures = {
      rate: ['messages indexed, from an empty index', '1/s', '>= 10000'],
      memory: ['resident memory after it', 'MiB', '<= 300'],
      page: [`slowest page with ${texts} messages, p99 of 8 readers`, 'ms', '<= 100'],
      bytes: ['index for each message', 'bytes'],
    } as const;
    return repeated(options, 'messages', figures, () =>
      withDirectory((directory) =>
        withExplorer({ directory, env }, async (explorer) => {
          const start = performance.now();
          const indexed = async () => {
            const { submissions } = (await explorer.node.json('/v1/rollups/messenger')) as { submissions: number };
            return Number(submissions) >= texts || undefined;
          };
          await until('the whole index', indexed, 600_000, 10);
          const rate = (texts * 1_000) / (performance.now() - start);
          const page = await slowest(explorer, '/v1', await getPages(explorer), options.progress);
          return { rate, memory: explorer.usage().residentMiB, page, bytes: explorer.indexBytes() / texts };
        }),
      ),
    );
  });

/** All kinds of pages of the sequencer and of the messenger. */
async function getPages({ node }: RunningExplorer): Promise<ReadonlyMap<string, Page>> {
  const { items } = (await node.json('/v1/rollups/messenger/transactions?limit=100')) as {
    readonly items: readonly { readonly hash: string; readonly sequencer: { readonly height: number } }[];
  };
  const hash = (number: number) => items[number % items.length]?.hash ?? '';
  const newest = items[0]?.sequencer.height ?? 1;
  const height = (number: number) => 1 + ((number * 7_919) % newest);
  return new Map<string, Page>([
    ['blocks', (number) => `/blocks?limit=100&cursor=${height(number)}`],
    ['a block', (number) => `/blocks/${height(number)}`],
    ['transactions of a block', (number) => `/blocks/${height(number)}/transactions?limit=100`],
    ['sequencer transactions', (number) => `/transactions?limit=100&cursor=${height(number)}-5`],
    ['transactions of an account', () => `/accounts/${getAddress(ALICE)}/transactions?limit=100`],
    ['blocks of a rollup', (number) => `/rollups/messenger/blocks?limit=100&cursor=${height(number)}`],
    ['newest messages', () => '/rollups/messenger/transactions?limit=100'],
    ['older messages', (number) => `/rollups/messenger/transactions?limit=100&cursor=${height(number)}-5`],
    ['a message', (number) => `/rollups/messenger/transactions/${hash(number)}`],
    ['trace of a message', (number) => `/trace/${hash(number)}`],
    ['search for a message', (number) => `/search?q=${hash(number)}`],
    ['charts', () => '/charts?blocks=10000'],
  ]);
}

/** From the time of a sequencer block to when the explorer shows it, on a network with some load. */
const lag: Measure = (options) =>
  withNetwork({ intervalMs: 100 }, async (network) => {
    const node = new HttpClient(network.url('explorer'));
    // Until it has run for a while, every process is slower.
    await sustain(network, { seconds: WARM_UP_SECONDS, textsPerSecond: LIVE_TEXTS_PER_SECOND });
    const load = `sequencer block to explorer at ${LIVE_TEXTS_PER_SECOND} texts/s`;
    const figures = { p50: [`${load}, p50`, 'ms'], p99: ['the same, p99', 'ms', '<= 1000'] } as const;
    try {
      return await repeated(options, 'lag', figures, async () => {
        const lags: number[] = [];
        let isOver = false;
        const watch = async () => {
          for (let last = Number.POSITIVE_INFINITY; !isOver; ) {
            const { items } = (await node.json('/v1/blocks?limit=10')) as {
              readonly items: readonly { readonly height: number; readonly time: string }[];
            };
            const now = wallClock.unixMs();
            for (const { height, time } of items) if (height > last) lags.push(now - Date.parse(time));
            last = items[0]?.height ?? last;
            await pause(20);
          }
        };
        const watching = watch();
        await sustain(network, { seconds: options.seconds, textsPerSecond: LIVE_TEXTS_PER_SECOND });
        isOver = true;
        await watching;
        return { p50: quantile(lags, 0.5), p99: quantile(lags, 0.99) };
      });
    } finally {
      node.close();
    }
  });

/** How fast the explorer indexes, how far it is behind, and how fast it answers. */
export const explorer = { messages, lag, 'evm-pages': evmPages };
