/** Bounds on what clients of a JSON-RPC server can make it keep or do. */
export interface JsonRpcBounds {
  /** A whole request, with all calls of a batch. */
  readonly requestTimeoutMs: number;
  readonly maxBodyBytes: number;
  /** Lists and objects in a body, within each other and in all: megabytes of brackets take a parser seconds. */
  readonly maxDepth: number;
  readonly maxBrackets: number;
  /** Calls in one batch, and bytes of their answers. */
  readonly maxBatch: number;
  readonly maxBatchBytes: number;
  readonly maxWebSockets: number;
  /** Requests of one WebSocket that are worked on at a time; it is not read while there are more. */
  readonly maxAtWork: number;
  /** Bytes of notifications that wait for a slow reader, and for all of them together. */
  readonly maxUnsentBytes: number;
  readonly maxUnsentBytesTotal: number;
  /** Bytes of answers that wait for their readers, all together; with more, who has most of it is cut off. */
  readonly maxUnreadAnswerBytes: number;
}

const MB = 1_048_576;

export const DEFAULT_BOUNDS: JsonRpcBounds = {
  requestTimeoutMs: 30_000,
  maxBodyBytes: MB,
  maxDepth: 32,
  // Far more than a full batch of plain calls has.
  maxBrackets: 2_000,
  maxBatch: 100,
  maxBatchBytes: 32 * MB,
  maxWebSockets: 256,
  maxAtWork: 64,
  maxUnsentBytes: 16 * MB,
  maxUnsentBytesTotal: 128 * MB,
  maxUnreadAnswerBytes: 256 * MB,
};
