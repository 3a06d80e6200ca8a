import { httpPost, type PostAnswer, type PostOptions } from '../http/http-post.ts';
import { AnswerTooLong } from '../http/http-read.ts';
import { TransportFailure } from '../http/transport-failure.ts';
import { exactJsonText, parseJson } from '../input/exact-json.ts';
import { Input } from '../input/input.ts';
import { isNestedDeeper } from '../input/json.ts';
import type { Links } from '../links.ts';
import { withDeadline } from '../timing/abort.ts';
import { JsonRpcError } from './error.ts';
import { linkedPost } from './linked-post.ts';
import { resultIn } from './response.ts';

export interface JsonRpcClient {
  /**
   * Sends one request. The result is as sent: parse it before use.
   *
   * @throws {JsonRpcError} if the server answered with an error.
   * @throws {TransportFailure} if it did not answer, or something that is not JSON answered in its place. As with any
   * other error, the server may or may not have done the request.
   */
  call(method: string, params: object, signal?: AbortSignal): Promise<unknown>;
}

/** Client of a server that answers batches. */
export interface JsonRpcBatchClient extends JsonRpcClient {
  /**
   * Sends several requests as one batch, which the server may bound. Each has its own result or error, in the order of
   * the requests.
   *
   * @throws {JsonRpcError} if the server refused the batch; {TransportFailure} as for `call`.
   */
  batch(requests: readonly JsonRpcRequest[], signal?: AbortSignal): Promise<(unknown | JsonRpcError)[]>;
}

export interface JsonRpcRequest {
  readonly method: string;
  readonly params: object;
}

export interface JsonRpcClientOptions {
  readonly timeoutMs?: number;
  readonly maxResponseBytes?: number;
  /** Lists and objects within each other in an answer. */
  readonly maxDepth?: number;
  /** JSON-RPC servers of this process. */
  readonly links?: Links | undefined;
  readonly post?: (url: string, body: string, options: PostOptions) => Promise<PostAnswer>;
}

const MAX_DEPTH = 64;

/** JSON-RPC 2.0 over HTTP POST. */
export function jsonRpcClient(url: string, options: JsonRpcClientOptions = {}): JsonRpcBatchClient {
  const { timeoutMs = 10_000, maxResponseBytes = 64 * 1_048_576, maxDepth = MAX_DEPTH, links } = options;
  const { post = links === undefined ? httpPost : linkedPost(links) } = options;
  let lastId = 0;
  const send = (what: string, body: object, signal: AbortSignal | undefined): Promise<unknown> =>
    withDeadline({ ms: timeoutMs, signal, what: `${what} at ${url}` }, async (limit) => {
      const { status, bytes } = await post(url, exactJsonText(body), {
        signal: limit,
        maxBytes: maxResponseBytes,
      }).catch((error: unknown) => {
        if (error instanceof AnswerTooLong) throw error;
        throw new TransportFailure(`no answer to ${what} from ${url}`, { cause: error });
      });
      return parse(bytes, `${what} at ${url}, status ${status}`, maxDepth);
    });
  return {
    async call(method, params, signal) {
      lastId += 1;
      const id = lastId;
      return getResult(await send(method, { jsonrpc: '2.0', id, method, params }, signal), id, method);
    },

    async batch(requests, signal) {
      if (requests.length === 0) return [];
      const numbered = requests.map(({ method, params }) => ({ jsonrpc: '2.0', id: ++lastId, method, params }));
      const answer = await send(`${requests.length} calls`, numbered, signal);
      // A batch that is refused as a whole has one answer.
      if (!Array.isArray(answer)) throw resultError(resultIn(answer, 'a batch'));
      const byId = new Map(answer.map((each: unknown) => [new Input(each, 'a batch').at('id').value, each]));
      return numbered.map(({ id, method }) => {
        try {
          return getResult(byId.get(id), id, method);
        } catch (error) {
          if (error instanceof JsonRpcError) return error;
          throw error;
        }
      });
    },
  };
}

function resultError(result: unknown): Error {
  return new Error(`the answer to a batch is no list, but ${typeof result}`);
}

/** Errors come with various statuses, so the body is looked at first. */
function parse(bytes: Uint8Array, what: string, maxDepth: number): unknown {
  const text = new TextDecoder().decode(bytes);
  if (isNestedDeeper(text, maxDepth)) throw new Error(`the answer to ${what}, is nested deeper than ${maxDepth}`);
  try {
    return parseJson(text);
  } catch (error) {
    throw new TransportFailure(`the answer to ${what}, is not JSON`, { cause: error });
  }
}

function getResult(answer: unknown, id: number, method: string): unknown {
  const result = resultIn(answer, method);
  if (new Input(answer, method).at('id').value !== id)
    throw new Error(`the answer to ${method} belongs to another request`);
  return result;
}
