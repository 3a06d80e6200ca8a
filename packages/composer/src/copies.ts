import { type RollupId, type TxHash, txHashBytes, txHashOf } from '@switchyard/protocol';
import type { Backlog, Item } from './backlog.ts';
import type { Outcomes } from './outcomes.ts';

/** Rule by which a submission counts as a copy of one that is here, or was. */
export interface CopyRule {
  /** Tells repeats apart that are meant: the same bytes under another key are another submission. */
  readonly key?: Uint8Array | undefined;
  /** The submitter has executed the sequencer's blocks up to this height: what it submits now is not in them for good. */
  readonly executedHeight?: bigint | undefined;
}

/** Copies are looked for only among what still waits for a block. */
export const ONLY_QUEUED: CopyRule = { executedHeight: (1n << 64n) - 1n };

export const MAX_KEY_BYTES = 64;

export interface CopiesDeps {
  readonly backlog: Pick<Backlog, 'find'>;
  readonly outcomes: Pick<Outcomes, 'sequencedHeight'>;
  /** How long bytes that are in a block are recognised; as long as their record is kept, at most. */
  readonly windowMs: number;
}

export function itemsOf(rollup: RollupId, data: readonly Uint8Array[], key: Uint8Array | undefined): Item[] {
  return data.map((bytes) => {
    const hash = txHashOf(bytes);
    return key === undefined || key.length === 0
      ? { rollup, data: bytes, hash }
      : { rollup, data: bytes, hash, keyed: txHashOf(Buffer.concat([txHashBytes(hash), key])) };
  });
}

/** Under which an item is known. Without a key it is a copy of the same bytes under any key. */
export function identityOf({ hash, keyed = hash }: Item): TxHash {
  return keyed;
}

/** Items that are no copies, of others among them either. */
export function withoutCopies(
  items: readonly Item[],
  { executedHeight = 0n }: CopyRule,
  { backlog, outcomes, windowMs }: CopiesDeps,
): Item[] {
  const seen = new Set<TxHash>();
  return items.filter((item) => {
    const identity = identityOf(item);
    if (seen.has(identity) || backlog.find(item.rollup, identity) !== undefined) return false;
    const height = outcomes.sequencedHeight(item.rollup, identity, windowMs);
    if (height !== undefined && height > executedHeight) return false;
    seen.add(identity);
    return true;
  });
}
