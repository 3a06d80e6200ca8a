import { type Clock, exactJsonText, type Metrics } from '@switchyard/service';
import { type Dialect, type JsonRpcServer, jsonRpcServer, STANDARD } from '@switchyard/service/json-rpc';
import { HistoryGone, PrunedHistory } from '../chain/chain.ts';
import { CODES, methodNotFound, rpcError, serverError, TIMED_OUT } from '../json/errors.ts';
import { DEFAULT_BOUNDS, type RpcDeps, type RpcMethods } from './deps.ts';
import { namesWith, wrapped } from './marks.ts';

export interface RpcServerOptions extends Pick<RpcDeps, 'log' | 'clock' | 'bounds' | 'metrics'> {
  readonly methods: RpcMethods;
}

const ETHEREUM: Dialect = { ...STANDARD, timedOut: TIMED_OUT };

/** JSON-RPC as Ethereum's clients expect it, without a transport. Results hold no bigint. */
export function rpcServer({ methods, log, clock, bounds, metrics }: RpcServerOptions): JsonRpcServer {
  return jsonRpcServer({
    methods: metrics === undefined ? methods : counted(methods, metrics, clock),
    dialect: {
      ...ETHEREUM,
      methodNotFound: (name) => methodNotFound(name, Object.hasOwn(methods, 'anvil_setBalance')),
    },
    bounds: { ...DEFAULT_BOUNDS, ...bounds },
    clock,
    log,
    together: namesWith('isBegunTogether', methods),
    large: namesWith('isLarge', methods),
    stringify: toJson,
    translate: translated,
  });
}

function toJson(result: unknown): string {
  try {
    return JSON.stringify(result);
  } catch (error) {
    // Results of ours have no bigint, but answers of a geth may.
    if (error instanceof TypeError) return exactJsonText(result);
    throw error;
  }
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
  return wrapped(methods, watched);
}

/** Translates errors of methods that have another form on the wire; undefined for any other error. */
export function translated(error: unknown) {
  if (error instanceof PrunedHistory) return rpcError(CODES.pruned, error.message);
  return error instanceof HistoryGone ? serverError(error.message) : undefined;
}
