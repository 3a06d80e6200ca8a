import { sha256 } from '@switchyard/protocol';
import type { IndexEntry } from './block-index.ts';
import { type Head, sectionOf, sectionOffset } from './record.ts';
import { resultSpans } from './results.ts';
import { txSpans } from './tx-spans.ts';

/** What a record in the log adds to the index. */
export function indexEntry(
  head: Head,
  { place, bytes }: Pick<IndexEntry, 'place' | 'bytes'>,
  { block, results }: { readonly block: Uint8Array; readonly results: Uint8Array },
  txHashes: readonly Uint8Array[],
): IndexEntry {
  const { height, hash } = head;
  const outcomes = resultSpans(results);
  const [inBlock, inResults] = [sectionOffset(head, 'block'), sectionOffset(head, 'results')];
  const txs = txSpans(block).flatMap(({ offset, length }, index) => {
    const [txHash, outcome] = [txHashes[index], outcomes[index]];
    if (txHash === undefined || outcome === undefined) return [];
    const result = { offset: outcome.offset + inResults, length: outcome.length };
    return [{ hash: txHash, place: { height, index, tx: { offset: offset + inBlock, length }, result } }];
  });
  if (txs.length !== txHashes.length || txs.length !== outcomes.length) {
    throw new Error(`block at height ${height} has ${txHashes.length} transactions and ${outcomes.length} results`);
  }
  return { height, place, bytes, hash, txs };
}

/** Hashes of the transactions of a whole record, in order. */
export function txHashesOf(head: Head, record: Buffer): Uint8Array[] {
  const block = sectionOf(head, 'block', record);
  return txSpans(block).map(({ offset, length }) => sha256(block.subarray(offset, offset + length)));
}
