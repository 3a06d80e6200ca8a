import { join } from 'node:path';
import { sequencerClient } from '@switchyard/client';
import {
  healthRoutes,
  httpApp,
  operatorAccess,
  type ProcessContext,
  pageAccess,
  pageRoutes,
  RateLimit,
  serveHttp,
  systemClock,
  wallClock,
} from '@switchyard/service';
import { type ExplorerConfig, fields, PREFIX } from './config.ts';
import { ComposerTimes } from './http/composer-times.ts';
import { explorerRoutes, statusOf } from './http/routes.ts';
import { addressText } from './http/shown.ts';
import { readable } from './http/upstream.ts';
import { observe } from './metrics.ts';
import { RollupIndexer } from './rollups/rollup-indexer.ts';
import { rollupNode } from './rollups/rollup-node.ts';
import { Head } from './sequencer/head.ts';
import { SequencerIndexer } from './sequencer/indexer.ts';
import { openStore } from './store/open.ts';

const MAX_BODY_BYTES = 1_024;
const NODE_TIMEOUT_MS = 10_000;
/** Blocks that the index may be behind and still be called ready. */
const READY_WITHIN = 20;
const MAX_CLIENTS = 10_000;
/** Where Vite puts the page. An explorer without it has an API and no page. */
const PAGE = join(import.meta.dirname, '..', '..', 'web', 'dist', 'explorer');

/** Starts the explorer: it answers when this resolves, whether its nodes do or not. It stops with the signal. */
export async function runExplorer(config: ExplorerConfig, context: ProcessContext): Promise<void> {
  const { log, metrics, signal, defer, background } = context;
  const [clock, wall, random] = [systemClock, wallClock, Math.random];
  const store = await openStore(config, { log, wall, signal });
  defer(() => store.close());
  const client = sequencerClient({
    rpcUrl: config.sequencerAbciEndpoint,
    grpcUrl: config.sequencerGrpcEndpoint,
    timeoutMs: NODE_TIMEOUT_MS,
  });
  defer(() => client.close());

  const { pollMs, fetchConcurrency: concurrency, chainId, sequencerAddressPrefix: addressPrefix } = config;
  const head = new Head({ source: client, clock, log, random, pollMs });
  const sequencer = new SequencerIndexer({ source: client, store, head, clock, random, log, concurrency, chainId });
  const rollups = config.rollupUrls.map(
    (url) => new RollupIndexer({ node: rollupNode(url), store, clock, wall, random, log, concurrency, pollMs }),
  );
  defer(observe(metrics, { sequencer, rollups }));

  const app = httpApp(log);
  const composer = new ComposerTimes({ url: config.composerUrl, clock, log });
  const api = { store: readable(store), sequencer, rollups, client, composer, addressPrefix, log, signal };
  app.route(
    '/',
    healthRoutes({
      ready() {
        const { height, latest, problem } = sequencer.state();
        if (problem !== undefined) return { ok: false, reason: problem };
        const ok = latest - height <= READY_WITHIN;
        return ok ? { ok } : { ok, reason: `the index is at block ${height} of ${latest}` };
      },
      status: () => ({ pid: process.pid, index: store.place, ...statusOf(api) }),
      metrics,
    }),
  );
  const perSecond = config.maxRequestsPerSecond;
  const rate = new RateLimit({ perSecond, burst: 2 * perSecond, maxClients: MAX_CLIENTS });
  explorerRoutes(app, { ...api, address: addressText(addressPrefix) }, { rate, clock });
  pageRoutes(app, PAGE);
  const http = await serveHttp({
    listen: config.listenAddr,
    // It changes nothing and keeps no secret: pages of others may read it too.
    access: pageAccess(operatorAccess(config, PREFIX), {
      origins: config.corsOrigin,
      setting: fields.corsOrigin.names[0],
      foreignPages: 'everything',
    }),
    name: fields.listenAddr.names[0],
    app,
    log,
    maxBodyBytes: MAX_BODY_BYTES,
  });
  defer(() => http.close());
  log.info({ http: http.url, index: store.place, rollups: config.rollupUrls }, 'explorer listening');
  background(head.run(signal));
  background(sequencer.run(signal));
  for (const rollup of rollups) background(rollup.run(signal));
}
