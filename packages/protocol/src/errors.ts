/**
 * Foreseen refusals. Each reason has a number that never changes: it travels between processes and is stored.
 * Numbers of retired reasons are not used again.
 */
export const REJECTION_CODES = {
  malformed: 1,
  'bad-signature': 2,
  'nonce-too-low': 3,
  'nonce-too-high': 4,
  'nonce-taken': 5,
  'insufficient-balance': 6,
  'wrong-chain': 7,
  'too-large': 8,
  empty: 9,
  overflow: 10,
  'unsupported-action': 11,
  'action-disabled': 12,
  'group-mismatch': 13,
  'fee-asset-not-allowed': 14,
  'unknown-asset': 15,
  'wrong-asset': 16,
  unauthorized: 17,
  'not-a-bridge': 18,
  'already-a-bridge': 19,
  'is-a-bridge': 20,
  'deposits-disabled': 21,
  'event-already-used': 22,
  'unknown-validator': 23,
  'last-validator': 24,
  'already-present': 25,
  'not-present': 26,
  'not-found': 27,
  'limit-reached': 28,
  expired: 29,
  duplicate: 30,
  'not-canonical': 31,
  /** A mistake in a handler, which every node makes alike. */
  bug: 32,
  /** A refusal of a rollup's own: its code in a receipt is above all of these. */
  'own-rule': 33,
} as const;

export type RejectionReason = keyof typeof REJECTION_CODES;
export type Facts = Readonly<Record<string, string | number | bigint | boolean>>;

/**
 * An error that clients can cause as often as they like. It has no stack: recording one costs about ten times as much as
 * the rest of a refusal, and the message names the fault.
 */
export abstract class ForeseenError extends Error {
  constructor(message?: string, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * A refusal that the rules foresee: it undoes the transaction and is reported to its sender. Anything else is a bug.
 * @example
 * ```ts
 * throw new Rejected('limit-reached', { field: 'members', most: 16 });
 * ```
 */
export class Rejected extends ForeseenError {
  override readonly name = 'Rejected';
  readonly reason: RejectionReason;
  readonly facts: Facts;

  constructor(reason: RejectionReason, facts: Facts = {}, options?: ErrorOptions) {
    const details = Object.entries(facts).map(([name, value]) => `${name} ${String(value)}`);
    // A caller without types may give any text, which would have no code.
    if (!Object.hasOwn(REJECTION_CODES, reason)) throw new Error(`${JSON.stringify(reason)} is no reason of a refusal`);
    super([reason.replaceAll('-', ' '), details.join(', ')].filter((part) => part !== '').join(': '), options);
    this.reason = reason;
    this.facts = facts;
  }

  get code(): number {
    return REJECTION_CODES[this.reason];
  }
}
