import { type Denom, type RollupId, type Signer, signTransaction } from '@switchyard/protocol';
import type { Backlog, Item, Range } from './backlog.ts';

/** Bytes of a varint. */
const lengthOf = (value: number): number => (value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : 4);
const field = (length: number): number => 1 + lengthOf(length) + length;

/** Signature, key, type url, nonce and chain id, rounded up. */
export const ENVELOPE_BYTES = 320;
/** A rollup id in its message. */
const ROLLUP_ID_BYTES = field(field(32));

/** Encoded bytes that an item adds to a transaction. */
export function bundledSize(dataLength: number, feeAsset: Denom): number {
  return field(field(ROLLUP_ID_BYTES + field(dataLength) + field(feeAsset.text.length)));
}

/** Longest data that a bundle of at most `maxBytes` has room for. */
export function longestItem(maxBytes: number, feeAsset: Denom): number {
  return maxBytes - ENVELOPE_BYTES - (bundledSize(maxBytes, feeAsset) - maxBytes);
}

/** Takes what goes into the next bundle: the oldest items, as many as fit, at least one. */
export function nextBundle(backlog: Backlog, feeAsset: Denom, maxBytes: number): Range[] {
  let left = maxBytes - ENVELOPE_BYTES;
  let empty = true;
  return backlog.take(({ data }) => {
    const size = bundledSize(data.length, feeAsset);
    if (!empty && size > left) return false;
    left -= size;
    empty = false;
    return true;
  });
}

/** The first half of a bundle's items, at least one; undefined when there is only one. */
export function firstHalf(ranges: readonly Range[]): Range[] | undefined {
  const total = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  if (total < 2) return undefined;
  let left = Math.floor(total / 2);
  return ranges.flatMap((range) => {
    const size = Math.min(left, range.to - range.from);
    left -= size;
    return size > 0 ? [{ ...range, to: range.from + size }] : [];
  });
}

export interface Payer {
  /** Of the account that pays, as text. */
  readonly address: string;
  readonly signer: Signer;
  readonly chainId: string;
  readonly feeAsset: Denom;
}

/** The signed sequencer transaction with one submission for each item. The same input gives the same bytes. */
export function signBundle(items: Iterable<Item>, nonce: number, { signer, chainId, feeAsset }: Payer): Uint8Array {
  const actions = Array.from(items, ({ rollup, data }) => submission(rollup, data, feeAsset));
  return signTransaction({ nonce, chainId, actions }, signer);
}

function submission(rollup: RollupId, data: Uint8Array, feeAsset: Denom) {
  return { kind: 'rollupDataSubmission', rollup, data, feeAsset } as const;
}
