import { join } from 'node:path';
import { sequencerEndpoints } from '@switchyard/client';
import {
  healthRoutes,
  httpApp,
  ownListener,
  type ProcessContext,
  pageAccess,
  pageRoutes,
  RateLimit,
  serveHttp,
  systemClock,
  wallClock,
} from '@switchyard/service';
import { type ExplorerConfig, fields } from './config.ts';
import { type EvmNode, evmNode } from './evm/evm-node.ts';
import { evmReader } from './evm/evm-reader.ts';
import { openContracts } from './evm/open-contracts.ts';
import { TokenWatch } from './evm/tokens/token-watch.ts';
import { getRollup, isRollupReset, rollupEndpoints, watchRollup } from './failover/rollup.ts';
import { isSequencerReset, type SequencerNode, toSequencer, watchSequencer } from './failover/sequencer.ts';
import { balanceSheets } from './http/balance-sheets.ts';
import { ComposerTimes } from './http/composer-times.ts';
import { addressText } from './http/context.ts';
import { LayerPlaces } from './http/layer-places.ts';
import { explorerRoutes } from './http/routes.ts';
import { toStatus } from './http/status.ts';
import { readable } from './http/upstream.ts';
import { observe } from './metrics.ts';
import { frameworkReader } from './rollups/framework-reader.ts';
import { RollupIndexer } from './rollups/rollup-indexer.ts';
import { type RollupNode, rollupNode } from './rollups/rollup-node.ts';
import type { RollupReader } from './rollups/rollup-reader.ts';
import { Head } from './sequencer/head.ts';
import { SequencerIndexer } from './sequencer/indexer.ts';
import { openStore } from './store/open.ts';

/** Sources of a contract to be verified; forms need three bytes for some of theirs. */
const MAX_BODY_BYTES = 8 * 1_048_576;
/** Blocks that the index may be behind and still be called ready. */
const READY_WITHIN = 20;
/** How often a few tokens that moved are queried for their supply and balances. */
const TOKEN_POLL_MS = 1_000;
const MAX_CLIENTS = 10_000;
/** Directory of the built page. An explorer without it has an API and no page. */
const PAGE = join(import.meta.dirname, '..', '..', 'web', 'dist', 'explorer');

/** Starts the explorer: it answers when this resolves, whether its nodes do or not. It stops with the signal. */
export async function runExplorer(config: ExplorerConfig, context: ProcessContext): Promise<void> {
  const { log, metrics, signal, links, defer, background } = context;
  const [clock, wall, random] = [systemClock, wallClock, Math.random];
  const store = await openStore(config, { log, wall, signal });
  defer(() => store.close());
  const contracts = await openContracts(config, { log, wall, clock, signal, defer });
  const nodes = { grpc: 'sequencerGrpcEndpoint', rpc: 'sequencerAbciEndpoint', fields, config } as const;
  const { pollMs, fetchConcurrency: concurrency, chainId, sequencerAddressPrefix: addressPrefix } = config;
  const sequencers = sequencerEndpoints(nodes, context, (client): SequencerNode => client);
  const client = toSequencer(sequencers, chainId);

  const head = new Head({ source: client, clock, log, random, pollMs });
  const sequencer = new SequencerIndexer({
    source: client,
    store,
    head,
    clock,
    random,
    log,
    concurrency,
    chainId,
    isReset: isSequencerReset(sequencers),
  });
  const follow = <T extends RollupNode | EvmNode>(nodes: readonly T[], createReader: (node: T) => RollupReader) => {
    const endpoints = rollupEndpoints(nodes, { clock, log });
    const node = getRollup(endpoints);
    const isReset = isRollupReset(endpoints);
    const reader = createReader(node);
    const indexer = new RollupIndexer({ reader, store, clock, wall, random, log, pollMs, isReset, news: head.changed });
    return { endpoints, node, indexer };
  };
  const evm = config.evmUrls.map((nodes, at) => {
    const followed = follow(
      nodes.map((url) => evmNode(url, links)),
      (node) => evmReader(node, store),
    );
    return { ...followed, walletUrl: config.evmWalletUrls[at] };
  });
  const framework = config.rollupUrls.map((nodes) =>
    follow(
      nodes.map((url) => rollupNode(url, links?.fetch)),
      (node) => frameworkReader(node, store),
    ),
  );
  const followed = [...framework, ...evm];
  const rollups = followed.map(({ indexer }) => indexer);
  observe(metrics, { sequencer, rollups });

  const app = httpApp(log);
  const composer = new ComposerTimes({ url: config.composerUrl, fetch: links?.fetch, clock, log });
  const layer = new LayerPlaces({
    url: config.relayerUrl,
    fetch: links?.fetch,
    chainId: () => sequencer.state().chainId,
    clock,
    log,
  });
  const sheets = balanceSheets({ urls: config.withdrawerUrls, fetch: links?.fetch, clock, log });
  const api = {
    store: readable(store),
    sequencer,
    rollups,
    evm,
    contracts,
    client,
    composer,
    layer,
    sheets,
    addressPrefix,
    clock,
    log,
    signal,
  };
  app.route(
    '/',
    healthRoutes({
      ready() {
        const { height, latest, problem } = sequencer.state();
        if (problem !== undefined) return { ok: false, reason: problem };
        const ok = latest - height <= READY_WITHIN;
        return ok ? { ok } : { ok, reason: `the index is at block ${height} of ${latest}` };
      },
      status: () => ({ pid: process.pid, index: store.place, ...toStatus(api) }),
      metrics,
    }),
  );
  const perSecond = config.maxRequestsPerSecond;
  const rate = new RateLimit({ perSecond, burst: 2 * perSecond, maxClients: MAX_CLIENTS });
  explorerRoutes(app, { ...api, address: addressText(addressPrefix) }, { rate, clock, pages: config.pages });
  pageRoutes(app, PAGE, { pages: config.pages });
  const own = ownListener(fields, config, 'listenAddr', context);
  const http = await serveHttp({
    ...own,
    // It keeps no secret: pages of others may read it too, and not have sources compiled here.
    access: pageAccess(own.access, {
      origins: config.corsOrigin,
      setting: fields.corsOrigin.names[0],
    }),
    app,
    maxBodyBytes: MAX_BODY_BYTES,
  });
  defer(() => http.close());
  log.info(
    { http: http.url, index: store.place, rollups: [...config.rollupUrls, ...config.evmUrls].flat() },
    'explorer listening',
  );
  background(head.run(signal));
  background(sequencer.run(signal));
  background(watchSequencer(sequencers, sequencer, { clock, signal }));
  for (const { endpoints, indexer } of followed) {
    background(indexer.run(signal));
    background(watchRollup(endpoints, indexer, { clock, signal }));
  }
  for (const { node, indexer } of evm) {
    background(new TokenWatch({ node, indexer, store, clock, log, pollMs: TOKEN_POLL_MS }).run(signal));
  }
}
