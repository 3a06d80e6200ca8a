import { parseJson } from '../input/exact-json.ts';
import { exceedsJson } from '../input/json.ts';
import type { JsonRpcBounds } from './bounds.ts';
import type { Dialect, RpcRequest } from './dialect.ts';
import { invalidRequest, JsonRpcError } from './error.ts';

export type RpcElement = RpcRequest | JsonRpcError;

export interface RpcBody {
  readonly isBatch: boolean;
  /** To be run, or answered as errors. */
  readonly elements: readonly RpcElement[];
}

/** @throws {JsonRpcError} if the whole body is refused. */
export function parseBody(text: string, dialect: Dialect, bounds: JsonRpcBounds): RpcBody {
  const { maxDepth, maxBrackets, maxBatch } = bounds;
  const exceeded = exceedsJson(text, bounds);
  if (exceeded === 'depth') throw invalidRequest(`nested deeper than ${maxDepth}`);
  if (exceeded === 'brackets') throw invalidRequest(`more than ${maxBrackets} lists or objects`);
  const tooMany = () => invalidRequest(`batch request exceeds maximum (${maxBatch}) allowed number of requests`);
  if (exceeded === 'batch') throw tooMany();
  let body: unknown;
  try {
    body = parseJson(text);
  } catch (error) {
    throw dialect.parseError(error instanceof Error ? error.message : String(error));
  }
  const isBatch = Array.isArray(body);
  const requests: readonly unknown[] = isBatch ? (body as unknown[]) : [body];
  if (requests.length === 0) throw invalidRequest('empty batch');
  if (requests.length > maxBatch) throw tooMany();
  const elements = requests.map((request) => dialect.parseRequest(request));
  const unreadable = dialect.failsBatchWhole ? elements.find((each) => each instanceof JsonRpcError) : undefined;
  if (unreadable !== undefined) throw unreadable;
  return { isBatch, elements: dialect.runsNotifications ? elements : elements.filter(isAnswered) };
}

function isAnswered(element: RpcElement): boolean {
  return element instanceof JsonRpcError || element.id !== undefined;
}
