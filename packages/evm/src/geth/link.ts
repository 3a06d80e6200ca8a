import { RPC, resultIn } from '@switchyard/service';

/** Traces have two levels for each call, and calls go 1,024 deep. */
export const MAX_ANSWER_DEPTH = 4_096;

/** A way to an execution client: JSON-RPC, over any transport. */
export interface Link {
  /** Its target, for people: a path or a URL, never with a secret in it. */
  readonly target: string;
  /**
   * The result is as sent: parse it before use.
   *
   * @throws {JsonRpcError} the client's error.
   * @throws {LinkLost} if no answer was had: it may or may not have done the work.
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

/** @throws {JsonRpcError} for an error, {Error} for an answer with neither error nor result. */
export function getResult(answer: unknown, method: string): unknown {
  return resultIn(answer, method, RPC.internal);
}
