import { JsonRpcError } from '@switchyard/service';

/** A way to an execution client: JSON-RPC, whatever carries it. */
export interface Link {
  /** Where it leads, for people: a path or a URL, never with a secret in it. */
  readonly target: string;
  /**
   * The result is what the client sent: parse it before use.
   *
   * @throws {JsonRpcError} what the client answered.
   * @throws {LinkLost} where no answer was had: it may or may not have done what was asked.
   */
  call(method: string, params: readonly unknown[], options?: CallOptions): Promise<unknown>;
  close(): void;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** The client is not there, or went away before it answered. */
export class LinkLost extends Error {
  override readonly name = 'LinkLost';
}

/** @throws {JsonRpcError} for an error, {Error} for what is neither error nor result. */
export function resultOf(answer: object, method: string): unknown {
  if ('error' in answer && answer.error !== null && answer.error !== undefined) throw errorOf(answer.error);
  if (!('result' in answer)) throw new Error(`the answer to ${method} has neither result nor error`);
  return answer.result;
}

function errorOf(error: unknown): JsonRpcError {
  const { code, message, data }: { code?: unknown; message?: unknown; data?: unknown } =
    typeof error === 'object' && error !== null ? error : { message: error };
  return new JsonRpcError(typeof code === 'number' ? code : -32_603, String(message ?? 'unknown error'), data);
}
