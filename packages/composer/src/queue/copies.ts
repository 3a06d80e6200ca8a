import { type RollupId, type TxHash, txHashBytes, txHashOf } from '@switchyard/protocol';
import type { Backlog } from './backlog.ts';
import { GROUPS, type Group, type Item, type Space } from './items.ts';
import type { Outcomes } from './outcomes.ts';

/** Rule by which a submission counts as a copy of a present or earlier one. */
export interface CopyRule {
  /** Distinguishes intended repeats: equal bytes under another key are a different submission. */
  readonly key?: Uint8Array | undefined;
  /** The submitter has executed the sequencer's blocks up to this height: its present submissions are not in them for good. */
  readonly executedHeight?: bigint | undefined;
}

/** Copies are looked for only among submissions that still wait for a block. */
export const ONLY_QUEUED: CopyRule = { executedHeight: (1n << 64n) - 1n };

export const MAX_KEY_BYTES = 64;

export interface CopiesDeps {
  readonly backlog: Pick<Backlog, 'find' | 'locate'>;
  readonly outcomes: Pick<Outcomes, 'sequencedHeight'>;
  /** How long bytes that are in a block are recognised; as long as their record is kept, at most. */
  readonly windowMs: number;
}

export function getItems(rollup: RollupId, data: readonly Uint8Array[], key: Uint8Array | undefined): Item[] {
  return data.map((bytes) => {
    const hash = txHashOf(bytes);
    const keyed = keyedHash(hash, key);
    return keyed === undefined ? { rollup, data: bytes, hash } : { rollup, data: bytes, hash, keyed };
  });
}

/** The hash of a submission that also has a key. */
export function keyedHash(hash: TxHash, key: Uint8Array | undefined): TxHash | undefined {
  return key === undefined || key.length === 0 ? undefined : txHashOf(Buffer.concat([txHashBytes(hash), key]));
}

/** Under which an item is known. Without a key it is a copy of the same bytes under any key. */
export function toIdentity({ hash, keyed = hash }: Pick<Item, 'hash' | 'keyed'>): TxHash {
  return keyed;
}

/** Items that are no copies, of others among them either. */
export function withoutCopies(items: readonly Item[], rule: CopyRule, deps: CopiesDeps): Item[] {
  const seen = new Set<TxHash>();
  return items.filter((item) => {
    const identity = toIdentity(item);
    if (seen.has(identity) || isCopy(item.rollup, identity, rule, deps)) return false;
    seen.add(identity);
    return true;
  });
}

/** Whether the same entries are here, or in a recent block, in the same order. */
export function isCopyOfGroup(group: Group, rule: CopyRule, deps: CopiesDeps): boolean {
  return isCopy(GROUPS, toIdentity(group), rule, deps);
}

/**
 * Index of the first entry of a new group whose bytes are here, alone or in another group, or in a recent block, or twice in
 * this one: its payment would buy nothing. -1 if there is none, and if a key marks the repeat as intended.
 */
export function indexOfCopy({ items, keyed }: Group, rule: CopyRule, deps: CopiesDeps): number {
  if (keyed !== undefined) return -1;
  const isSame = (one: Item, other: Item) => one.hash === other.hash && one.rollup === other.rollup;
  return items.findIndex(
    (item, index) =>
      deps.backlog.locate(item.rollup, item.hash) !== undefined ||
      isCopy(item.rollup, item.hash, rule, deps) ||
      items.findIndex((each) => isSame(each, item)) < index,
  );
}

function isCopy(
  space: Space,
  identity: TxHash,
  { executedHeight = 0n }: CopyRule,
  { backlog, outcomes, windowMs }: CopiesDeps,
): boolean {
  if (backlog.find(space, identity) !== undefined) return true;
  const height = outcomes.sequencedHeight(space, identity, windowMs);
  return height !== undefined && height > executedHeight;
}
