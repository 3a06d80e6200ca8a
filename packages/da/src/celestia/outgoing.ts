/** State of the transactions that this process has prepared, and their consequences. No calls are made here. */
import type { CelestiaAccount } from '@switchyard/protocol/celestia';
import type { BlobsOutcome } from '../layer.ts';
import type { BroadcastAnswer, TxStatus } from './consensus-node.ts';

export interface Outgoing {
  /** Another account than that of the writer, if an earlier run had another key. */
  readonly payer: CelestiaAccount;
  readonly sequence: bigint;
  readonly lastHeight: bigint;
  /** A node may have it: one took it or did not answer, or an earlier run may have sent it. */
  mayBeOut: boolean;
  /** Why the node did not take it when it was sent first, so that no node has it. */
  refusal: string | undefined;
  /** The head when its sequence was first seen to be used. */
  usedAt: bigint | undefined;
}

/** The lowest sequence that neither blocks nor own transactions have. What a node refused to take has none. */
export function nextSequence(committed: bigint, outgoing: Iterable<Outgoing>): bigint {
  const taken = new Set<bigint>();
  for (const { sequence, refusal } of outgoing) if (refusal === undefined) taken.add(sequence);
  let next = committed;
  while (taken.has(next)) next += 1n;
  return next;
}

export type Taken =
  | { readonly kind: 'taken' }
  /** Whether it is needed any more is decided by its status. */
  | { readonly kind: 'unclear' }
  | { readonly kind: 'busy'; readonly reason: string }
  /** @param requiredFee In utia, if that is the reason. */
  | { readonly kind: 'refused'; readonly reason: string; readonly requiredFee?: bigint };

/** Codes of the Cosmos SDK. @see cosmos-sdk, types/errors/errors.go */
const CODE = { ok: 0, insufficientFee: 13, knownTransaction: 19, poolFull: 20, late: 30, wrongSequence: 32 } as const;

/** Interprets the answer to a transaction. Texts are matched loosely: they are not fixed by anything. */
export function takenBy({ code, text }: BroadcastAnswer): Taken {
  switch (code) {
    case CODE.ok:
    case CODE.knownTransaction:
      return { kind: 'taken' };
    case CODE.wrongSequence:
    case CODE.late:
      return { kind: 'unclear' };
    case CODE.poolFull:
      return { kind: 'busy', reason: text };
    case CODE.insufficientFee: {
      const required = /required:?\s*(\d{1,30})utia/i.exec(text)?.[1];
      return { kind: 'refused', reason: text, ...(required !== undefined && { requiredFee: BigInt(required) }) };
    }
    case undefined:
      if (/already (?:exists )?in (?:the )?(?:mempool|cache)/i.test(text)) return { kind: 'taken' };
      if (/mempool is full/i.test(text)) return { kind: 'busy', reason: text };
      return /codespace \S+ code \d+/i.test(text) ? { kind: 'refused', reason: text } : { kind: 'busy', reason: text };
    default:
      return { kind: 'refused', reason: `code ${code}: ${text}` };
  }
}

/**
 * Notes in a transaction the meaning of the answer to it; undefined if none came. A node refuses what others have taken: with
 * another minimum price, say. That is no fact about the transaction, only about the node.
 */
export function afterSending(outgoing: Outgoing, taken: Taken | undefined): void {
  if (outgoing.mayBeOut) return;
  outgoing.mayBeOut = taken === undefined || taken.kind === 'taken';
  outgoing.refusal = taken?.kind === 'refused' ? taken.reason : undefined;
}

/** Observations made in this order, the status last: earlier events show in it. */
export interface Seen {
  /** Next of the account, by blocks. */
  readonly sequence: bigint;
  readonly head: bigint;
  readonly status: TxStatus;
}

/**
 * Outcome of a transaction. Notes in it when its sequence was first seen to be used: a node may show that a moment
 * before the status of the transaction that used it.
 */
export function toOutcome(outgoing: Outgoing, { sequence, head, status: { status, height } }: Seen): BlobsOutcome {
  // Also if executing it failed: its blobs are in the square all the same.
  if (status === 'COMMITTED') return { kind: 'included', height };
  // Regardless of a node's memory of transactions: with a sequence that is free, it was in none of the blocks.
  if (head > outgoing.lastHeight && sequence <= outgoing.sequence) return { kind: 'gone' };
  if (sequence > outgoing.sequence) {
    if (outgoing.usedAt !== undefined && head > outgoing.usedAt) {
      return { kind: 'refused', reason: `another transaction has used sequence ${outgoing.sequence}` };
    }
    outgoing.usedAt ??= head;
    return { kind: 'pending' };
  }
  if (status !== 'PENDING' && outgoing.refusal !== undefined) return { kind: 'refused', reason: outgoing.refusal };
  return { kind: 'pending' };
}
