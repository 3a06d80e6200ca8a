import { type Clock, type JsonRpcServer, jsonRpcServer, type Logger, type Metrics } from '@switchyard/service';
import { HistoryGone, PrunedHistory } from '../chain/chain.ts';
import { DEFAULT_BOUNDS, type RpcBounds, type RpcContext, type RpcMethods } from './deps.ts';
import { CODES, methodNotFound, rpcError, serverError } from './errors.ts';
import { longInTurn } from './fair/in-turn.ts';

export interface RpcServerOptions {
  readonly methods: RpcMethods;
  readonly log: Logger;
  readonly clock: Clock;
  readonly bounds?: Partial<RpcBounds>;
  readonly metrics?: Metrics;
}

/** JSON-RPC as Ethereum's clients expect it, without a transport. Results hold no bigint. */
export function rpcServer({ methods, log, clock, bounds, metrics }: RpcServerOptions): JsonRpcServer<RpcContext> {
  const { maxBatch, maxBatchBytes } = { ...DEFAULT_BOUNDS, ...bounds };
  const watched = metrics === undefined ? methods : counted(methods, metrics);
  return jsonRpcServer<RpcContext>({
    // Whoever waited for a turn may be gone when it comes.
    methods: longInTurn(mapValues(watched, (method) => unlessLate(method, clock))),
    log,
    maxBatch,
    maxBatchBytes,
    // Each waits for the composer's disk, and the pool keeps the order in which they come.
    together: new Set(['eth_sendRawTransaction']),
    stringify: JSON.stringify,
    unknownMethod: methodNotFound,
    translate: translated,
  });
}

function unlessLate(method: RpcMethods[string], clock: Clock): RpcMethods[string] {
  return (params, context) => {
    if (context.isGone?.() === true || context.subscriber?.isGone === true || clock.now() > context.deadline)
      throw rpcError(CODES.timeout, 'request timed out');
    return method(params, context);
  };
}

function counted(methods: RpcMethods, metrics: Metrics): RpcMethods {
  const calls = metrics.counter('rpc_calls_total', 'Calls of JSON-RPC methods', { labels: ['method'] });
  const seconds = metrics.histogram('rpc_seconds', 'How long calls took', { labels: ['method'] });
  return mapValues(methods, (method, name) => (params, context) => {
    const started = performance.now();
    const labels = { method: name };
    const done = (): void => seconds.observe((performance.now() - started) / 1_000, labels);
    calls.add(1, labels);
    let result: unknown;
    try {
      result = method(params, context);
    } finally {
      if (!(result instanceof Promise)) done();
    }
    return result instanceof Promise ? result.finally(done) : result;
  });
}

function mapValues(
  methods: RpcMethods,
  change: (method: RpcMethods[string], name: string) => RpcMethods[string],
): RpcMethods {
  return Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, change(method, name)]));
}

function translated(error: unknown) {
  if (error instanceof PrunedHistory) return rpcError(CODES.pruned, error.message);
  return error instanceof HistoryGone ? serverError(error.message) : undefined;
}
