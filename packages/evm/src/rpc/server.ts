import type { Clock, Logger, Metrics } from '@switchyard/service';
import { type Dialect, type JsonRpcServer, jsonRpcServer, STANDARD } from '@switchyard/service/json-rpc';
import { HistoryGone, PrunedHistory } from '../chain/chain.ts';
import { DEFAULT_BOUNDS, type RpcBounds, type RpcMethods } from './deps.ts';
import { CODES, methodNotFound, rpcError, serverError, TIMED_OUT } from './errors.ts';
import { longInTurn } from './fair/in-turn.ts';
import { jsonOf } from './json-text.ts';

export interface RpcServerOptions {
  readonly methods: RpcMethods;
  readonly log: Logger;
  readonly clock: Clock;
  readonly bounds?: Partial<RpcBounds>;
  readonly metrics?: Metrics;
}

/** Answers that take a while to make and may be tens of megabytes. */
const LARGE = /^(debug_trace|trace_|ots_|eth_simulateV1$)/;

const ETHEREUM: Dialect = { ...STANDARD, timedOut: TIMED_OUT };

/** JSON-RPC as Ethereum's clients expect it, without a transport. Results hold no bigint. */
export function rpcServer({ methods, log, clock, bounds, metrics }: RpcServerOptions): JsonRpcServer {
  return jsonRpcServer({
    methods: longInTurn(metrics === undefined ? methods : counted(methods, metrics, clock)),
    dialect: {
      ...ETHEREUM,
      methodNotFound: (name) => methodNotFound(name, Object.hasOwn(methods, 'anvil_setBalance')),
    },
    bounds: { ...DEFAULT_BOUNDS, ...bounds },
    clock,
    log,
    // Each waits for the composer's disk, and the pool keeps the order in which they come.
    together: new Set(['eth_sendRawTransaction']),
    large: new Set(Object.keys(methods).filter((name) => LARGE.test(name))),
    stringify: jsonOf,
    translate: translated,
  });
}

function counted(methods: RpcMethods, metrics: Metrics, clock: Clock): RpcMethods {
  const calls = metrics.counter('rpc_calls_total', 'Calls of JSON-RPC methods', { labels: ['method'] });
  const seconds = metrics.histogram('rpc_seconds', 'How long calls took', { labels: ['method'] });
  const watched =
    (name: string, method: RpcMethods[string]): RpcMethods[string] =>
    (params, context, id) => {
      const started = clock.now();
      const labels = { method: name };
      const done = (): void => seconds.observe((clock.now() - started) / 1_000, labels);
      calls.add(1, labels);
      let result: unknown;
      try {
        result = method(params, context, id);
      } finally {
        if (!(result instanceof Promise)) done();
      }
      if (result instanceof Promise) void result.then(done, done);
      return result;
    };
  return Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, watched(name, method)]));
}

/** Translates errors of methods that have another form on the wire; undefined for any other error. */
export function translated(error: unknown) {
  if (error instanceof PrunedHistory) return rpcError(CODES.pruned, error.message);
  return error instanceof HistoryGone ? serverError(error.message) : undefined;
}
