const MB = 1_048_576;

/** Bounds on the memory and work of a JSON-RPC server for its clients. */
export type JsonRpcBounds = Readonly<typeof DEFAULT_BOUNDS>;

export const DEFAULT_BOUNDS = {
  /** A whole request, with all calls of a batch. */
  requestTimeoutMs: 30_000,
  maxBodyBytes: MB,
  /** Lists and objects in a body, within each other and in all: megabytes of brackets take a parser seconds. */
  maxDepth: 32,
  /** Far more than a full batch of plain calls has. */
  maxBrackets: 2_000,
  /** Calls in one batch, and bytes of their answers. */
  maxBatch: 100,
  maxBatchBytes: 32 * MB,
  maxWebSockets: 256,
  /** Requests of one WebSocket that are worked on at a time; it is not read while there are more. */
  maxAtWork: 64,
  /** Bytes of notifications that wait for a slow reader, and for all of them together. */
  maxUnsentBytes: 16 * MB,
  maxUnsentBytesTotal: 128 * MB,
  /** Bytes of answers that wait for their readers, all together; with more, who has most of it is cut off. */
  maxUnreadAnswerBytes: 256 * MB,
};
