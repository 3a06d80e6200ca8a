import { txHashOf } from '@switchyard/protocol';
import type { Backlog } from '../queue/backlog.ts';
import { type Range, without } from '../queue/ranges.ts';
import type { Bundle } from '../queue/records.ts';
import { type Payer, payerId, signBundle } from './bundle.ts';

/** A nonce that is ours to fill, and the items that its transaction carries. */
export interface InFlight extends Bundle {
  /** Items that no other bundle may carry until it is known which transaction spends the nonce. */
  attached: Range[];
  readonly bytes: Uint8Array;
  /** When the last candidate was first refused for a reason that may pass. */
  unconfirmedSince: number | undefined;
  readonly since: number;
}

interface Deps {
  readonly backlog: Backlog;
  readonly payer: Payer;
}

/** Signs items under a nonce, besides the earlier ones under that nonce. Nothing is written. */
export function signed(
  { nonce, attached, candidates, since }: Pick<InFlight, 'nonce' | 'attached' | 'candidates' | 'since'>,
  ranges: readonly Range[],
  { backlog, payer }: Deps,
): InFlight {
  const bytes = signBundle(backlog.items(ranges), nonce, payer);
  const candidate = { hash: txHashOf(bytes), ranges };
  const known = candidates.at(-1)?.hash === candidate.hash;
  return {
    nonce,
    payer: payerId(payer),
    attached,
    candidates: known ? candidates : [...candidates, candidate],
    bytes,
    unconfirmedSince: undefined,
    since,
  };
}

/**
 * Takes up a bundle that an earlier run left; undefined if all its items are finished. The result has a candidate more if
 * the last one is not to be sent again: a submission in it was refused, or the fee asset has changed.
 *
 * @throws {Error} if the bundle belongs to another account, or for another chain: its outcome could not be determined.
 */
export function resumed({ nonce, candidates, payer: owner }: Bundle, now: number, deps: Deps): InFlight | undefined {
  const { backlog, payer } = deps;
  if (owner !== payerId(payer)) {
    throw new Error(
      `the queue has transactions under way of ${owner}, and is to be sent by ${payerId(payer)}: start once more with that key and chain id until the queue is empty, or use another SVC_COMPOSER_DB_FILEPATH`,
    );
  }
  const attached = backlog.unfinished(candidates.flatMap(({ ranges }) => ranges));
  const last = candidates.at(-1)?.ranges ?? [];
  if (attached.length === 0) return undefined;
  backlog.claim(attached);
  // Signing is deterministic, so the sent bytes are made again, byte for byte.
  const isWhole = last.length > 0 && without(last, attached).length === 0;
  return signed({ nonce, attached, candidates, since: now }, isWhole ? last : attached, deps);
}

/** The transaction that an item is in now, if it is in one. */
export function findBundle(number: number, inFlight: readonly InFlight[]) {
  for (const { nonce, attached, candidates } of inFlight) {
    const inside = attached.some(({ from, to }) => from <= number && number < to);
    const last = candidates.at(-1);
    if (inside && last !== undefined) return { nonce, transaction: last.hash };
  }
  return undefined;
}
