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
