import type { JsonRpcError } from '@switchyard/service';
import type { RefusalCode } from '../transactions/refusals.ts';
import { lackingFunds, noRoomBehindGap, type Situation } from './admission.ts';
import type { LocalOutcome } from './deps.ts';
import type { Entry } from './entries.ts';

/** Refusals of transactions that a later block can take. */
const FIT_LATER: ReadonlySet<string> = new Set([
  'block-gas',
  'block-size',
  'nonce-too-high',
  'fee-cap-too-low',
] satisfies RefusalCode[]);
/** This often a transaction is sent again that blocks had no room for. */
const MAX_TRIES = 100;

/** Whether a transaction that a block has refused with this code can be in a later one. */
export function fitsLater(code: string): boolean {
  return FIT_LATER.has(code);
}

/** It was refused so often that it is not sent again. */
export function isHopeless({ rejections }: Pick<Entry, 'rejections'>): boolean {
  return rejections > MAX_TRIES;
}

/** The end of a transaction whose nonce another one has used. */
export function nonceTooLow(nonce: bigint, next: bigint): LocalOutcome {
  return { kind: 'refused', code: 'nonce-too-low', reason: `nonce too low: next nonce ${next}, tx nonce ${nonce}` };
}

export interface Readmission {
  readonly entry: Entry;
  /** Why it may not wait for another block; undefined if it may. */
  readonly refusal: JsonRpcError | undefined;
}

/**
 * Which found transactions of one sender may wait for another block, after one has refused them for now. Those whose
 * nonces follow without a gap had their room when they were found; the others are bounded like all that is held behind a gap.
 *
 * @param found By nonce, and none of them among the entries.
 */
export function readmission(found: readonly Entry[], situation: Situation): readonly Readmission[] {
  const { entries, account } = situation;
  let next = account.nonce;
  let promised = 0n;
  let items = 0;
  let bytes = 0;
  return found.map((entry) => {
    const { tx, nonce, from, raw } = entry;
    for (let before = entries.at(from, next); before !== undefined && next < nonce; before = entries.at(from, next)) {
      promised += before.cost;
      next += 1n;
    }
    const isNext = nonce === next;
    const lacking = lackingFunds(tx, account.balance, isNext ? promised : 0n);
    if (lacking !== undefined) return { entry, refusal: lacking };
    if (isNext) {
      promised += entry.cost;
      next += 1n;
      return { entry, refusal: undefined };
    }
    const refusal = noRoomBehindGap(tx, { items: items + 1, bytes: bytes + raw.length }, next, situation);
    if (refusal === undefined) {
      items += 1;
      bytes += raw.length;
    }
    return { entry, refusal };
  });
}
