import { ExecutionHost, executionServices } from '@switchyard/rollup/execution';
import {
  healthRoutes,
  logPeers,
  outside,
  ownListener,
  pageAccess,
  serveGrpc,
  serverAuth,
  systemClock,
  wallClock,
} from '@switchyard/service';
import { type EvmConfig, evmFields } from '../config.ts';
import type { DevelopmentInNetwork } from '../development/in-network.ts';
import { devKeys } from '../development/signing.ts';
import { readEvmGenesis } from '../genesis/read.ts';
import { withOutcomes } from '../pool/outcome-route.ts';
import { accountMethods } from '../rpc/accounts/account-methods.ts';
import { toVersion } from '../rpc/node-methods.ts';
import { serveRpc } from '../rpc/serve.ts';
import { fromTrustedPages } from '../rpc/trusted-pages.ts';
import { readyMachine } from '../rules/ready.ts';
import { observeChain } from './metrics.ts';
import type { CommonDeps, NodeContext } from './parts.ts';
import { nodeStatus } from './status.ts';

export interface RunningEvmNode {
  readonly httpUrl: string;
  readonly wsUrl: string;
  readonly executionUrl: string;
}

/** Many blocks at a time come in one message when a conductor catches up. */
const MAX_EXECUTION_MESSAGE = 64 * 1_048_576;

/** Requests under way when the node closes, such as a request for its restart. */
const DEVELOPMENT_GRACE_MS = 30_000;

/**
 * Starts a node: all listeners answer when this resolves, regardless of other processes. It stops with the signal.
 *
 * @param development Methods that change the network of a test, on the embedded back end.
 * @throws {InvalidConfig} if the genesis file is invalid, or not that of the database.
 */
export async function startEvmNode(config: EvmConfig, context: NodeContext, development?: DevelopmentInNetwork) {
  const { log, signal, metrics } = context;
  const genesis = await readEvmGenesis(config.genesisFilepath);
  await readyMachine();
  const keys = development?.keys ?? devKeys(config, genesis);
  // Each loads much that the other does not need.
  const { openParts } =
    config.backend === 'stock'
      ? await outside(import('../geth/parts.ts'))
      : await outside(import('../embedded/parts.ts'));
  const parts = await openParts(genesis, config, context, development?.senders);
  const { chain, executor, pool } = parts;
  observeChain(metrics, chain);

  const auth = serverAuth('execution', evmFields, config);
  const own = ownListener(evmFields, config, 'executionGrpcAddr', context);
  const execution = await serveGrpc({
    ...own,
    auth,
    ...executionServices(new ExecutionHost(executor, { log: log.child({ component: 'execution' }) })),
    maxMessageBytes: MAX_EXECUTION_MESSAGE,
  });
  context.defer(() => execution.close());
  logPeers(config.executionGrpcAddr, auth, log);

  const { forks } = genesis;
  const bounds = { maxLogs: config.maxLogs, maxBlockRange: config.maxBlockRange };
  const deps: CommonDeps = {
    ...{ chain, log, clock: systemClock, wall: wallClock, bounds, metrics },
    clientVersion: development?.clientVersion ?? toVersion('switchyard/'),
    accounts: () => keys?.accounts ?? [],
    forks,
  };
  const health = {
    ready: () => {
      const reason = parts.trouble() ?? pool.trouble;
      return reason === undefined ? { ok: true } : { ok: false, reason };
    },
    status: () => ({ ...nodeStatus(genesis, chain, pool), backend: config.backend, trouble: parts.trouble() }),
    metrics,
  };
  const plain = parts.methods(deps);
  const sending = { chain, pool, simulator: parts.simulator };
  const { startHeight } = genesis.sequencer;
  const guarded =
    development?.methods({ ...sending, plain, startHeight }) ?? (keys && accountMethods({ ...sending, keys }));
  const rpc = await serveRpc({
    methods: {
      ...plain,
      ...(guarded && fromTrustedPages(guarded, { origins: config.allowedOrigins, setting: 'SVC_EVM_ALLOWED_ORIGINS' })),
    },
    ...(development && { graceMs: DEVELOPMENT_GRACE_MS }),
    http: { listen: config.httpAddr, name: 'SVC_EVM_HTTP_ADDR' },
    ws: { listen: config.wsAddr, name: 'SVC_EVM_WS_ADDR' },
    access: pageAccess(own.access, { origins: config.corsOrigin, setting: 'SVC_EVM_CORS_ORIGIN' }),
    links: context.links,
    routes: (app) => void app.route('/', withOutcomes(pool, healthRoutes(health))),
    log: log.child({ component: 'rpc' }),
    clock: systemClock,
    bounds,
    metrics,
  });
  context.defer(() => rpc.close());

  const wsUrl = (rpc.ws ?? rpc.http).url.replace(/^http/, 'ws');
  if (config.devAccounts) log.warn('SVC_EVM_DEV_ACCOUNTS is set: any client can sign with the published keys');
  const running = { httpUrl: rpc.http.url, wsUrl, executionUrl: execution.url };
  log.info(
    { ...running, rollup: genesis.rollupName, chainId: genesis.chainId, soft: chain.heads.latest },
    'node answers',
  );
  await context.sendToParent?.({ http: running.httpUrl });
  context.background(parts.work());
  context.background(pool.work(signal));
  return running;
}
