/** Response codes of the wire with their words. They are on the wire: append, never renumber. */
export const CODES = {
  ok: [0, 'ok'],
  unknownPath: [1, 'unknown path'],
  invalidParameter: [2, 'invalid parameter'],
  internal: [3, 'internal error'],
  invalidNonce: [4, 'invalid nonce'],
  tooLarge: [5, 'transaction too large'],
  wrongChain: [7, 'wrong chain id'],
  notFound: [8, 'value not found'],
  expired: [9, 'transaction expired'],
  executionFailed: [10, 'execution failed'],
  insertionFailed: [11, 'mempool insertion failed'],
  lowerNonceRemoved: [12, 'a lower nonce of the account was removed'],
  badRequest: [13, 'bad request'],
  alreadyPresent: [14, 'already present in the mempool'],
  nonceTaken: [15, 'another transaction with this nonce is held'],
  accountParkedFull: [16, 'parked limit of the account reached'],
  parkedFull: [17, 'parked limit of the mempool reached'],
  alreadyIncluded: [18, 'already included in a block'],
  actionRefused: [19, 'an action failed its checks'],
  notATransaction: [20, 'bytes are not a transaction'],
  invalidTransaction: [21, 'transaction is invalid'],
} as const satisfies Record<string, readonly [number, string]>;

export type CodeName = keyof typeof CODES;
