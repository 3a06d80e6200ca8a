/** How the journal's records are encoded: protobuf's wire format, without a schema file because only the composer reads it. */

import {
  Reader,
  type RollupId,
  rollupIdBytes,
  rollupIdFromBytes,
  type Stored,
  stored,
  storedRecord,
  type TxHash,
  txHashBytes,
  txHashFromBytes,
  txHashOf,
  Writer,
} from '@switchyard/protocol';
import type { Chunk } from './backlog.ts';
import { beginsGroup, type Entry, GROUPS, getGroup, type Item, type Space } from './items.ts';
import type { Range } from './ranges.ts';

/** A signed transaction that may have reached a sequencer, and the items in it. */
export interface Candidate {
  readonly hash: TxHash;
  readonly ranges: readonly Range[];
}

/** A nonce of the paying account and everything that was ever signed under it: at most one of them can execute. */
export interface Bundle {
  readonly nonce: number;
  /** Account and chain that the nonce belongs to. */
  readonly payer: string;
  /** The last one is being sent. */
  readonly candidates: readonly Candidate[];
}

/** Outcome of items of one rollup, or of groups, that are no longer in the backlog. */
export interface OutcomeRecord {
  /** Rises. */
  readonly id: number;
  readonly space: Space;
  readonly outcome:
    | { readonly kind: 'sequenced'; readonly height: bigint; readonly transaction: TxHash }
    | { readonly kind: 'refused'; readonly reason: string };
  /** `hash` of the items or groups, and `keyed` of items that have it, 32 bytes each, in a row. */
  readonly hashes: Uint8Array;
  /** When it was decided, in milliseconds of `RunningTime`. */
  readonly at: number;
}

/**
 * A rollup id stands before the data of its items, once for a sequence of them; `keyed` before its data; the
 * number of its items, and its `keyed`, before a group.
 */
export function encodeChunk({ items }: Chunk): Uint8Array {
  const writer = new Writer(items.reduce((sum, { data }) => sum + data.length + 6, 64));
  let last: RollupId | undefined;
  for (const item of items) {
    const { rollup, data, keyed, group } = item;
    if (group !== undefined && beginsGroup(item)) {
      writer.uint64(4, BigInt(group.items.length));
      if (group.keyed !== undefined) writer.bytesAlways(3, txHashBytes(group.keyed));
    }
    if (rollup !== last) writer.bytesAlways(1, rollupIdBytes(rollup));
    if (keyed !== undefined) writer.bytesAlways(3, txHashBytes(keyed));
    writer.bytesAlways(2, data);
    last = rollup;
  }
  return writer.finish();
}

export function decodeChunk(first: number, bytes: Uint8Array): Chunk {
  const reader = new Reader(bytes, 'chunk');
  const items: Item[] = [];
  let rollup: RollupId | undefined;
  let keyed: TxHash | undefined;
  let grouped = 0;
  let entries: Entry[] = [];
  while (reader.next()) {
    if (reader.field === 4) {
      grouped = Number(reader.uint64());
      continue;
    }
    const value = reader.bytes();
    if (reader.field === 1) rollup = rollupIdFromBytes(value);
    else if (reader.field === 3) keyed = txHashFromBytes(value);
    else if (rollup === undefined) throw new Error(`the journal's chunk ${first} has data of no rollup`);
    else if (grouped > 0) {
      entries.push({ rollup, data: value });
      if (entries.length < grouped) continue;
      const id = keyed;
      items.push(...getGroup(entries, () => id).items);
      keyed = undefined;
      grouped = 0;
      entries = [];
    } else {
      items.push({ rollup, data: value, hash: txHashOf(value), ...(keyed === undefined ? {} : { keyed }) });
      keyed = undefined;
    }
  }
  if (grouped > 0)
    throw new Error(`the journal's chunk ${first} has ${entries.length} of ${grouped} entries of a group`);
  return { first, items };
}

const { whole, list, text } = stored;
const range: Stored<Range> = storedRecord('range', { from: [1, whole], to: [2, whole] });
const rangeList = storedRecord('ranges', { ranges: [2, list(range)] });
const txHash = stored.mapped(stored.bytes, txHashFromBytes, txHashBytes);
const candidate = storedRecord('candidate', { hash: [1, txHash], ranges: [2, list(range)] });
const bundleRecord = storedRecord('bundle', { payer: [2, text], candidates: [1, list(candidate)] });

export const encodeRanges = (ranges: readonly Range[]): Uint8Array => rangeList.encode({ ranges });

export const decodeRanges = (bytes: Uint8Array): readonly Range[] => rangeList.decode(bytes).ranges;

export const encodeBundle = (bundle: Bundle): Uint8Array => bundleRecord.encode(bundle);

export const decodeBundle = (nonce: number, bytes: Uint8Array): Bundle => ({ nonce, ...bundleRecord.decode(bytes) });

const rollupId = stored.mapped(stored.bytes, rollupIdFromBytes, rollupIdBytes);
const outcomeRecord = storedRecord('outcome', {
  ...{ height: [1, stored.u64], transaction: [2, stored.optional(txHash)], reason: [3, text] },
  ...{ hashes: [4, stored.bytes], rollup: [5, stored.optional(rollupId)], at: [6, whole] },
});
const NO_OUTCOME = { height: 0n, transaction: undefined, reason: '' };

export function encodeOutcome({ space, outcome: { kind: _, ...outcome }, hashes, at }: OutcomeRecord): Uint8Array {
  const rollup = space === GROUPS ? undefined : space;
  return outcomeRecord.encode({ ...NO_OUTCOME, ...outcome, hashes, rollup, at });
}

export function decodeOutcome(id: number, bytes: Uint8Array): OutcomeRecord {
  const { height, transaction, reason, hashes, rollup: space = GROUPS, at } = outcomeRecord.decode(bytes);
  const outcome: OutcomeRecord['outcome'] =
    transaction === undefined ? { kind: 'refused', reason } : { kind: 'sequenced', height, transaction };
  return { id, space, outcome, hashes, at };
}
