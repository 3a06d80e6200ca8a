import { internalError, invalidRequest, JsonRpcError, RPC } from '@switchyard/service';
import type { Dialect } from '@switchyard/service/json-rpc';

/** Id that CometBFT puts if there is none, as in a call that comes as a URL. */
export const URI_ID = -1;

const MAX_ID_LENGTH = 256;
export const METHOD_NOT_FOUND = new JsonRpcError(RPC.methodNotFound, 'Method not found');

/** JSON-RPC as CometBFT speaks it. */
export const COMET: Dialect = {
  parseRequest(request) {
    if (typeof request !== 'object' || request === null || Array.isArray(request))
      return parseError('expected an object');
    const { id, method, params }: { id?: unknown; method?: unknown; params?: unknown } = request;
    const called = { method: typeof method === 'string' ? method : '', params };
    if (id === undefined || id === null) return { id: undefined, ...called };
    if (typeof id === 'bigint') return { id, ...called };
    if (typeof id === 'number' && Number.isFinite(id)) return { id: Math.trunc(id), ...called };
    if (typeof id !== 'string') return parseError('json-rpc ID is of unknown type');
    if (id.length > MAX_ID_LENGTH) return invalidRequest(`json-rpc ID is longer than ${MAX_ID_LENGTH} characters`);
    return { id, ...called };
  },
  parseError,
  methodNotFound: () => METHOD_NOT_FOUND,
  unforeseen: internalError('unexpected error, see the log of the node'),
  timedOut: internalError('request timed out'),
  noId: undefined,
  runsNotifications: false,
  failsBatchWhole: true,
  listsOneAnswer: false,
  silentStatus: 200,
};

function parseError(why: string): JsonRpcError {
  return new JsonRpcError(RPC.parse, 'Parse error. Invalid JSON', `error unmarshaling request: ${why}`);
}
