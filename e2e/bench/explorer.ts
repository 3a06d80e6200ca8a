import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wallClock } from '@switchyard/service';
import { createNetwork, type Network, until } from '../support/network.ts';
import { type EvmIndexOptions, evmIndexRows } from './explorer-evm.ts';
import { type MessagePagesOptions, messagePageRows } from './explorer-messages.ts';
import { withExplorer } from './explorer-process.ts';
import { httpLoad } from './http-load.ts';
import { Node } from './load.ts';
import { quantile, type Row } from './statistics.ts';
import { sustain } from './throughput.ts';

export interface ExplorerOptions extends EvmIndexOptions, MessagePagesOptions {
  readonly seconds: number;
}

const LIVE_TEXTS_PER_SECOND = 500;
const WARM_UP_SECONDS = 4;
const CONNECTIONS = 8;
/** Time for each page. */
const PAGE_SECONDS = 2;

/** The default network, whose explorer is left out where `explorer` is false. */
async function withNetwork<T>(explorer: boolean, use: (network: Network) => Promise<T>): Promise<T> {
  const network = await createNetwork({ instance: 'bench' });
  try {
    await network.switchyard('dev', 'setconfig', 'blockinterval', '100', '--instance', 'bench');
    if (!explorer) {
      const file = join(network.home, 'bench', 'config', 'base-config.toml');
      const settings = readFileSync(file, 'utf8');
      writeFileSync(file, settings.replace('svc_explorer_enabled = "true"', 'svc_explorer_enabled = "false"'));
    }
    await network.start();
    return await use(network);
  } finally {
    await network.dispose();
  }
}

/** Starts an explorer with an empty index and waits until it has everything. */
function indexAll(network: Network, directory: string, texts: number, use: (url: string) => Promise<void>) {
  const env = {
    HOME: network.home,
    SVC_EXPLORER_ROLLUP_URLS: network.url('rollup'),
    SVC_EXPLORER_SEQUENCER_ABCI_ENDPOINT: network.url('rpc'),
    SVC_EXPLORER_SEQUENCER_GRPC_ENDPOINT: network.url('grpc'),
  };
  return withExplorer({ directory, env }, async ({ url, node, usage }) => {
    const start = performance.now();
    const has = async () => {
      const { submissions } = await node.json('/v1/rollups/messenger');
      return Number(submissions) >= texts ? true : undefined;
    };
    await until('the whole index', has, 120_000, 10);
    const perSecond = texts / ((performance.now() - start) / 1_000);
    await use(url);
    return { perSecond, ...usage() };
  });
}

async function messages({ runs, seconds, progress }: ExplorerOptions): Promise<Row[]> {
  const rates: number[] = [];
  const resident: number[] = [];
  const slowest: number[] = [];
  await withNetwork(false, async (network) => {
    const { texts } = await sustain(network, { seconds });
    for (let run = 0; run < runs; run += 1) {
      let worst = 0;
      const directory = join(network.home, `index-${run}`);
      const { perSecond, residentMiB } = await indexAll(network, directory, texts, async (url) => {
        worst = await slowestPage(url, progress);
      });
      rates.push(perSecond);
      resident.push(residentMiB);
      slowest.push(worst);
      progress(`messages: ${perSecond.toFixed(0)}/s of ${texts}, ${residentMiB.toFixed(0)} MiB`);
    }
  });
  return [
    { name: 'messages indexed, from an empty index', unit: '1/s', goal: '>= 10000', runs: rates },
    { name: 'resident memory after it', unit: 'MiB', goal: '<= 300', runs: resident },
    { name: 'its slowest page, p99', unit: 'ms', goal: '<= 100', runs: slowest },
  ];
}

/** The 99th percentile of the page for which that is highest, in milliseconds. */
async function slowestPage(url: string, progress: (text: string) => void): Promise<number> {
  const node = new Node(url);
  const { items } = await node.json('/v1/rollups/messenger/transactions?limit=1');
  node.close();
  const [{ hash, sequencer }] = items as [{ hash: string; sequencer: { height: number } }];
  let worst = 0;
  for (const path of [
    '/v1/blocks?limit=100',
    '/v1/transactions?limit=100',
    '/v1/rollups/messenger/transactions?limit=100',
    '/v1/rollups/messenger/blocks?limit=100',
    `/v1/rollups/messenger/transactions/${hash}`,
    `/v1/trace/${hash}`,
    `/v1/search?q=${hash}`,
    `/v1/blocks/${sequencer.height}`,
    '/v1/accounts/astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm/transactions',
    '/v1/charts',
  ]) {
    const { p99, requestsPerSecond } = await httpLoad({
      url,
      path: () => path,
      connections: CONNECTIONS,
      seconds: PAGE_SECONDS,
    });
    progress(`${path.replace(hash, 'HASH')}: ${requestsPerSecond.toFixed(0)}/s, p99 ${p99.toFixed(1)} ms`);
    worst = Math.max(worst, p99);
  }
  return worst;
}

/** From the time of a sequencer block to when the explorer shows it, on a network with some load. */
async function lag({ runs, seconds, progress }: ExplorerOptions): Promise<Row[]> {
  const p99s: number[] = [];
  await withNetwork(true, async (network) => {
    const node = new Node(network.url('explorer'));
    // Until it has run for a while, every process is slower.
    await sustain(network, { seconds: WARM_UP_SECONDS, textsPerSecond: LIVE_TEXTS_PER_SECOND });
    for (let run = 0; run < runs; run += 1) {
      const lags: number[] = [];
      let isOver = false;
      const watch = async () => {
        for (let last = -1; !isOver; ) {
          const { items } = await node.json('/v1/blocks?limit=10');
          const now = wallClock.unixMs();
          const blocks = items as readonly { height: number; time: string }[];
          if (last >= 0) for (const { height, time } of blocks) if (height > last) lags.push(now - Date.parse(time));
          last = blocks[0]?.height ?? last;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      };
      const watching = watch();
      await sustain(network, { seconds, textsPerSecond: LIVE_TEXTS_PER_SECOND });
      isOver = true;
      await watching;
      p99s.push(quantile(lags, 0.99));
      progress(`lag: ${lags.length} blocks, p50 ${quantile(lags, 0.5)} ms, p99 ${p99s.at(-1)} ms`);
    }
    node.close();
  });
  const name = `sequencer block to explorer at ${LIVE_TEXTS_PER_SECOND} texts/s, p99`;
  return [{ name, unit: 'ms', goal: '<= 1000', runs: p99s }];
}

/** How fast the explorer indexes, and how far it is behind. */
export async function explorerRows(options: ExplorerOptions): Promise<Row[]> {
  const { only } = options;
  return [
    ...(only.has('messages') ? await messages(options) : []),
    ...(only.has('lag') ? await lag(options) : []),
    ...(only.has('message-pages') ? await messagePageRows(options) : []),
    ...(await evmIndexRows(options)),
  ];
}
