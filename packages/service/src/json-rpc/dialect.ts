import type { RpcId } from './context.ts';
import { internalError, invalidRequest, JsonRpcError, RPC } from './error.ts';

export interface RpcRequest {
  /** Undefined in a notification, which is not answered. */
  readonly id: RpcId | undefined;
  readonly method: string;
  readonly params: unknown;
}

/** Differences on the wire between servers that speak JSON-RPC. */
export interface Dialect {
  /** One request, or why it is invalid. */
  parseRequest(request: unknown): RpcRequest | JsonRpcError;
  parseError(why: string): JsonRpcError;
  methodNotFound(name: string): JsonRpcError;
  /** Answer to a client after an error that no method foresaw. */
  readonly unforeseen: JsonRpcError;
  /** The time for a request is up. */
  readonly timedOut: JsonRpcError;
  /** The id of an answer to a request without a readable one; undefined leaves the member out. */
  readonly noId: null | undefined;
  readonly runsNotifications: boolean;
  /** Whether one element of a batch that is no request fails the others too. */
  readonly failsBatchWhole: boolean;
  /** Whether the answer to a batch with one call is a list. */
  readonly listsOneAnswer: boolean;
  /** HTTP status if nothing is answered. */
  readonly silentStatus: 200 | 204;
}

const MAX_ID_LENGTH = 100;

/** JSON-RPC 2.0 as its specification has it. */
export const STANDARD: Dialect = {
  parseRequest(request) {
    if (typeof request !== 'object' || request === null) return invalidRequest('not an object');
    if (!('method' in request) || typeof request.method !== 'string') return invalidRequest('no method');
    const id = 'id' in request ? request.id : undefined;
    const isNumber = typeof id === 'bigint' || (typeof id === 'number' && Number.isFinite(id));
    const isId = id === undefined || id === null || typeof id === 'string' || isNumber;
    if (!isId || String(id).length > MAX_ID_LENGTH) return invalidRequest('an id that is neither text nor number');
    return { id, method: request.method, params: 'params' in request ? request.params : undefined };
  },
  parseError: () => new JsonRpcError(RPC.parse, 'Parse error'),
  methodNotFound: (name) => new JsonRpcError(RPC.methodNotFound, 'Method not found', name.slice(0, 100)),
  unforeseen: internalError(),
  timedOut: internalError('request timed out'),
  noId: null,
  runsNotifications: true,
  failsBatchWhole: false,
  listsOneAnswer: true,
  silentStatus: 204,
};
