import { errorLine, JsonRpcError, RPC } from '@switchyard/service';
import type { EngineLog } from '../../engine.ts';

/** Text to send, and what to call once it has left or never will. */
export interface Answer {
  readonly text: string;
  release(): void;
}

export type RpcId = string | number;

export interface RpcRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: unknown;
}

export interface RpcBody {
  readonly batch: boolean;
  /** Without notifications, to which nothing is answered, and which CometBFT does not even run. */
  readonly requests: readonly RpcRequest[];
}

/** Far more than a full batch of requests has. */
const MAX_BRACKETS = 2_000;

/** @throws {JsonRpcError} where the whole body is not to be understood. */
export function parseBody(text: string, maxBatch: number): RpcBody {
  // A megabyte of brackets takes a third of a second to read, a megabyte of transaction a few milliseconds.
  if (occursMoreOften(text, '[', MAX_BRACKETS) || occursMoreOften(text, '{', MAX_BRACKETS)) {
    throw invalidRequest(`more than ${MAX_BRACKETS} lists or objects`);
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw parseError(error instanceof Error ? error.message : String(error));
  }
  if (!Array.isArray(body)) return { batch: false, requests: parseRequest(body) };
  if (body.length === 0) throw invalidRequest('empty batch');
  if (body.length > maxBatch) {
    throw invalidRequest(`batch request exceeds maximum (${maxBatch}) allowed number of requests`);
  }
  return { batch: true, requests: body.flatMap(parseRequest) };
}

function occursMoreOften(text: string, what: string, limit: number): boolean {
  let count = 0;
  for (let at = text.indexOf(what); at >= 0; at = text.indexOf(what, at + 1)) {
    count += 1;
    if (count > limit) return true;
  }
  return false;
}

function parseRequest(request: unknown): RpcRequest[] {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) throw parseError('expected an object');
  const { id, method, params }: { id?: unknown; method?: unknown; params?: unknown } = request;
  if (id === undefined || id === null) return [];
  if (typeof id !== 'string' && typeof id !== 'number') throw parseError('json-rpc ID is of unknown type');
  if (typeof id === 'string' && id.length > 256) throw invalidRequest('json-rpc ID is longer than 256 characters');
  return [
    { id: typeof id === 'number' ? Math.trunc(id) : id, method: typeof method === 'string' ? method : '', params },
  ];
}

export function invalidRequest(why: string): JsonRpcError {
  return new JsonRpcError(RPC.invalidRequest, 'Invalid Request', why);
}

function parseError(why: string): JsonRpcError {
  return new JsonRpcError(RPC.parse, 'Parse error. Invalid JSON', `error unmarshaling request: ${why}`);
}

/** What CometBFT answers when a method cannot do what was asked. */
export function failed(why: string): JsonRpcError {
  return new JsonRpcError(RPC.internal, 'Internal error', why);
}

export const METHOD_NOT_FOUND = new JsonRpcError(RPC.methodNotFound, 'Method not found');

/** @param result JSON. */
export function success(id: RpcId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

/** Errors that no method foresaw are logged, and the client learns no more than that there was one. */
export function failure(id: RpcId | undefined, error: unknown, log: EngineLog): string {
  const known = error instanceof JsonRpcError ? error : failed('unexpected error, see the log of the node');
  if (known !== error) log.error({ error: errorLine(error) }, 'a call of the RPC failed');
  const { code, rpcMessage: message, data } = known;
  return JSON.stringify({
    jsonrpc: '2.0',
    ...(id !== undefined && { id }),
    error: { code, message, ...(data !== undefined && { data }) },
  });
}
