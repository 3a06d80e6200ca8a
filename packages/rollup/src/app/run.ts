import {
  logPeers,
  ownListener,
  type ProcessContext,
  pageAccess,
  serveGrpc,
  serveHttp,
  serverAuth,
  toRetention,
} from '@switchyard/service';
import { acceptWebSockets } from '@switchyard/service/json-rpc';
import { executionServices } from '../execution/services.ts';
import { assembleNode, NODE_BOUNDS, type NodeDeps } from './assemble.ts';
import { type RollupConfig, rollupFields } from './config.ts';
import type { RollupDefinition } from './definition.ts';
import { MAX_BATCH_BYTES } from './http/batch-body.ts';
import { PUBLIC_POSTS } from './http/transactions.ts';

/** Dependencies of a rollup node. */
export type RollupDeps = Pick<NodeDeps, 'store' | 'collector' | 'verifier' | 'clock' | 'handlerLimitMs'>;

export interface RunningRollup {
  readonly httpUrl: string;
  readonly executionUrl: string;
}

/** Many blocks at a time come in one message when a conductor catches up. */
const MAX_EXECUTION_MESSAGE = 64 * 1_048_576;

/** Starts a rollup node: both listeners answer when this resolves, regardless of other processes. It stops with the signal. */
export async function runRollup(
  definition: RollupDefinition,
  config: RollupConfig,
  deps: RollupDeps,
  context: Pick<ProcessContext, 'log' | 'signal' | 'metrics' | 'links' | 'defer' | 'background' | 'sendToParent'>,
): Promise<RunningRollup> {
  const { log, signal, metrics } = context;
  const { maxRequestsPerSecond, maxStreams, maxStreamsPerAddress: maxStreamsOfAddress } = config;
  const bounds = { ...NODE_BOUNDS, maxRequestsPerSecond, maxStreams, maxStreamsOfAddress };
  const assembled = await assembleNode(definition, bounds, {
    ...deps,
    log,
    metrics,
    signal,
    retention: toRetention(config),
  });

  const auth = serverAuth('execution', rollupFields, config);
  const execution = await serveGrpc({
    ...ownListener(rollupFields, config, 'executionGrpcAddr', context),
    auth,
    ...executionServices(assembled.host),
    maxMessageBytes: MAX_EXECUTION_MESSAGE,
  });
  context.defer(() => execution.close());
  logPeers(config.executionGrpcAddr, auth, log);
  const own = ownListener(rollupFields, config, 'restAddr', context);
  const http = await serveHttp({
    ...own,
    access: pageAccess(own.access, { origins: config.corsOrigin, setting: 'CORS_ORIGIN', publicPosts: PUBLIC_POSTS }),
    app: assembled.app,
    maxBodyBytes: MAX_BATCH_BYTES,
    maxConnections: config.maxConnections,
  });
  context.defer(() => http.close());
  context.defer(acceptWebSockets(http, { server: assembled.live, path: '/v1/live' }));

  const { soft } = assembled.chain.view;
  log.info(
    { http: http.url, execution: execution.url, rollup: definition.genesis.rollupName, soft },
    'rollup node listening',
  );
  await context.sendToParent?.({ http: http.url });
  context.background(assembled.work());
  return { httpUrl: http.url, executionUrl: execution.url };
}
