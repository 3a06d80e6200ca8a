import { withDeadline } from '../abort.ts';
import { httpPost, type PostAnswer, type PostOptions } from '../http-post.ts';
import { AnswerTooLong } from '../http-read.ts';
import { Input } from '../input/input.ts';
import { isNestedDeeper } from '../json.ts';
import { TransportFailure } from '../transport-failure.ts';
import { resultIn } from './response.ts';

export interface JsonRpcClient {
  /**
   * Sends one request. The result is what the server sent: parse it before use.
   *
   * @throws {JsonRpcError} where the server answered with an error.
   * @throws {TransportFailure} where it did not answer, or something that is not JSON answered in its place. As with any
   * other error, the server may or may not have done what was asked.
   */
  call(method: string, params: object, signal?: AbortSignal): Promise<unknown>;
}

export interface JsonRpcClientOptions {
  readonly timeoutMs?: number;
  readonly maxResponseBytes?: number;
  /** Lists and objects within each other in an answer. */
  readonly maxDepth?: number;
  readonly post?: (url: string, body: string, options: PostOptions) => Promise<PostAnswer>;
}

const MAX_DEPTH = 64;

/** JSON-RPC 2.0 over HTTP POST. */
export function jsonRpcClient(url: string, options: JsonRpcClientOptions = {}): JsonRpcClient {
  const { timeoutMs = 10_000, maxResponseBytes = 64 * 1_048_576, maxDepth = MAX_DEPTH, post = httpPost } = options;
  let lastId = 0;
  return {
    call(method, params, signal) {
      lastId += 1;
      const id = lastId;
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
      return withDeadline({ ms: timeoutMs, signal, what: `${method} at ${url}` }, async (limit) => {
        const { status, bytes } = await post(url, body, { signal: limit, maxBytes: maxResponseBytes }).catch(
          (error: unknown) => {
            if (error instanceof AnswerTooLong) throw error;
            throw new TransportFailure(`no answer to ${method} from ${url}`, { cause: error });
          },
        );
        return resultOf(parse(bytes, `${method} at ${url}, status ${status}`, maxDepth), id, method);
      });
    },
  };
}

/** Errors come with various statuses, so the body is looked at first. */
function parse(bytes: Uint8Array, what: string, maxDepth: number): unknown {
  const text = new TextDecoder().decode(bytes);
  if (isNestedDeeper(text, maxDepth)) throw new Error(`the answer to ${what}, is nested deeper than ${maxDepth}`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new TransportFailure(`the answer to ${what}, is not JSON`, { cause: error });
  }
}

function resultOf(answer: unknown, id: number, method: string): unknown {
  const result = resultIn(answer, method);
  if (new Input(answer, method).at('id').value !== id)
    throw new Error(`the answer to ${method} belongs to another request`);
  return result;
}
