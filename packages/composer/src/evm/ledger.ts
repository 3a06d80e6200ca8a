import type { RollupId, TxHash } from '@switchyard/protocol';
import type { Backlog } from '../queue/backlog.ts';
import type { Outcomes } from '../queue/outcomes.ts';

/** Knowledge of the composer about a transaction's bytes. */
export type Known = 'unknown' | 'waiting' | 'sequenced' | 'refused';

export function findKnown(
  { backlog, outcomes }: { readonly backlog: Pick<Backlog, 'find'>; readonly outcomes: Pick<Outcomes, 'find'> },
  rollup: RollupId,
  hash: TxHash,
): Known {
  if (backlog.find(rollup, hash) !== undefined) return 'waiting';
  return outcomes.find(rollup, hash)?.kind ?? 'unknown';
}

/** One transaction that an EVM node has shown. */
interface Seen {
  /** Undefined until its bytes were made. */
  submission: TxHash | undefined;
  /** When, and at which block of the node, it was found sequenced and yet pending there. */
  overdue: { readonly since: number; readonly block: bigint } | undefined;
  tries: number;
}

const MAX_SEEN = 100_000;
/** A node that has come so far since has executed the transactions sequenced before; it doubles with each try. */
const OVERDUE_MS = 60_000;
const OVERDUE_BLOCKS = 10n;
const MAX_TRIES = 5;

/**
 * Remembers taken transactions, so that each is submitted once, although the stream and the list of a
 * node both contain it. A transaction sequenced and still pending at the node long after was skipped by its block, for
 * lack of room or of a nonce before it; it is submitted again a few times.
 */
export class Ledger {
  readonly #seen = new Map<string, Seen>();

  /** Whether it is new. It counts as seen from then on. */
  take(hash: string): boolean {
    if (this.#seen.has(hash)) return false;
    this.#seen.set(hash, { submission: undefined, overdue: undefined, tries: 0 });
    for (const oldest of this.#seen.keys()) {
      if (this.#seen.size <= MAX_SEEN) break;
      this.#seen.delete(oldest);
    }
    return true;
  }

  /** It was not taken after all, so that it counts as new when it is shown again. */
  drop(hash: string): void {
    this.#seen.delete(hash);
  }

  submitted(hash: string, submission: TxHash): void {
    const seen = this.#seen.get(hash);
    if (seen !== undefined) seen.submission = submission;
  }

  /**
   * The node lists it as pending. @returns whether it should be submitted (again).
   *
   * @param known State of the bytes that were submitted for it.
   * @param now Milliseconds; `block` is the node's newest.
   */
  listed(hash: string, known: (submission: TxHash) => Known, now: number, block: bigint): boolean {
    const seen = this.#seen.get(hash);
    if (seen === undefined) return true;
    if (seen.submission === undefined) return false;
    const state = known(seen.submission);
    if (state === 'waiting' || state === 'refused') {
      seen.overdue = undefined;
      return false;
    }
    // A block number that is lower than before was wrong then, and must not put the next try off for ever.
    if (seen.overdue === undefined || block < seen.overdue.block) {
      seen.overdue = { since: now, block };
      return false;
    }
    const isOver =
      now - seen.overdue.since >= OVERDUE_MS * 2 ** seen.tries && block >= seen.overdue.block + OVERDUE_BLOCKS;
    if (!isOver || seen.tries >= MAX_TRIES) return false;
    seen.tries += 1;
    seen.overdue = undefined;
    return true;
  }
}
