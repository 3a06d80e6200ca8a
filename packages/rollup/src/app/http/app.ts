import * as rollupContract from '@switchyard/client/rollup-contract';
import {
  type Clock,
  clientOf,
  type Health,
  HttpError,
  healthRoutes,
  httpApp,
  type Logger,
  productVersion,
  type RateLimit,
} from '@switchyard/service';
import { serveApi } from '@switchyard/service/api';
import type { Hono, MiddlewareHandler } from 'hono';
import type { RollupDefinition } from '../definition.ts';
import type { RollupNode } from '../node.ts';
import { BALANCES, NONCES } from '../state-tables.ts';
import { liveChannel } from '../streams/live-contract.ts';
import { partRoutes } from '../streams/part-routes.ts';
import type { PartReader } from '../streams/parts.ts';
import { blockStream, progressStream } from '../streams/routes.ts';
import { transactionEventStream } from '../streams/transaction-events.ts';
import { blockRoutes } from './blocks.ts';
import { decodeRoute } from './decoded.ts';
import { depositRoutes } from './deposits.ts';
import { eventsRoute } from './events.ts';
import { legacyNonce, nonceRoute } from './nonces.ts';
import { stateRoutes } from './state.ts';
import { type NodeStatus, statusRoute } from './status.ts';
import { tolerateTrailingSlash } from './trailing-slash.ts';
import { legacySubmission, type TransactionRoutes, transactionRoutes } from './transactions.ts';
import { withdrawalRoutes } from './withdrawals.ts';

export interface RollupHttp extends TransactionRoutes {
  readonly definition: RollupDefinition;
  readonly node: RollupNode;
  readonly reader: PartReader;
  readonly health: Health;
  readonly status: () => NodeStatus;
  readonly rate: RateLimit;
  readonly log: Logger;
  readonly clock: Clock;
}

/** The HTTP interface of a rollup: its own routes in addition to the common ones. */
export function rollupHttp(parts: RollupHttp): Hono {
  const { definition, node, health, rate, log, clock } = parts;
  const app = httpApp(log);
  app.use(limited(rate, clock));
  app.route('/', healthRoutes(health));
  legacySubmission(app, parts);
  legacyNonce(app, node);
  const routes = [
    ...transactionRoutes(parts),
    nonceRoute(node),
    decodeRoute(definition, node),
    ...blockRoutes(node),
    ...depositRoutes(node),
    ...withdrawalRoutes(node),
    blockStream(node),
    ...partRoutes(node, definition, parts.reader),
    progressStream(node.streams, parts.outcomes),
    ...(definition.eventsJson
      ? [transactionEventStream(node, definition.eventsJson), eventsRoute(node, definition.eventsJson)]
      : []),
    ...(definition.api?.(node) ?? []),
    ...stateRoutes(node, [NONCES, BALANCES, ...(definition.tables ?? [])]),
    statusRoute(parts.status, definition.status?.members),
  ];
  const { contracts = [], ...reference } = definition.reference ?? {};
  const shared = { specifier: '@switchyard/client/rollup-contract', exports: rollupContract };
  const described = { ...reference, contracts: [shared, ...contracts], socket: liveChannel };
  serveApi(app, apiInfo(definition), routes, { ...described, log });
  definition.routes?.(app, node);
  return tolerateTrailingSlash(app);
}

function apiInfo({ name, genesis }: RollupDefinition) {
  const description = `The HTTP API of a node of the rollup ${genesis.rollupName}. Errors are problem documents (RFC 9457).`;
  return { title: `${name} node`, version: productVersion(), description };
}

/** How many bytes of a submission count as one request more: a batch of texts costs about as much as single ones. */
const BYTES_PER_TOKEN = 256;

function limited(rate: RateLimit, clock: Clock): MiddlewareHandler {
  return async (c, next) => {
    const tokens = 1 + Math.floor(Number(c.req.header('content-length') ?? 0) / BYTES_PER_TOKEN);
    if (!rate.take(clientOf(c.env), Number.isNaN(tokens) ? 1 : tokens, clock.now())) {
      throw new HttpError(429, 'limit-reached', 'too many requests from this address; slow down and try again');
    }
    await next();
  };
}
