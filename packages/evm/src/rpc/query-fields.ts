import { field, integer, list, listen, pageOrigin } from '@switchyard/service/settings';

/** Settings of a node that answers JSON-RPC: where, who may ask from a page, and the bounds of a query. */
export function queryFields(prefix: string, httpAddr: string) {
  return {
    httpAddr: field(`${prefix}HTTP_ADDR`, listen, {
      help: 'where JSON-RPC answers over HTTP and WebSocket, and /healthz, /readyz and /status',
      fallback: httpAddr,
    }),
    corsOrigin: field(`${prefix}CORS_ORIGIN`, list(pageOrigin), {
      help: 'origins of the pages that may ask, separated by commas, or * for all',
      fallback: '*',
    }),
    rpcGasCap: field(`${prefix}RPC_GAS_CAP`, integer({ min: 21_000, max: 10_000_000_000 }), {
      help: 'gas that a call gets at most',
      fallback: '50000000',
    }),
    callTimeoutMs: field(`${prefix}CALL_TIMEOUT_MS`, integer({ min: 10, max: 3_600_000 }), {
      help: 'how long a call or a trace may take, in milliseconds',
      fallback: '5000',
    }),
    maxLogs: field(`${prefix}MAX_LOGS`, integer({ min: 1, max: 1_000_000 }), {
      help: 'logs that a query answers at most; a query that finds more is refused',
      fallback: '10000',
    }),
    maxBlockRange: field(`${prefix}MAX_BLOCK_RANGE`, integer({ min: 0, max: 1_000_000_000 }), {
      help: 'blocks that a query for logs may span; 0 for any number',
      fallback: '0',
    }),
  };
}
