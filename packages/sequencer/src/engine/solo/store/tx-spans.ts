import { Reader } from '@switchyard/protocol';
import type { Span } from './block-index.ts';

/** Field numbers of `tendermint.types.Block` and `Data`. */
const DATA = 2;
const TXS = 1;

/** Where each transaction lies in an encoded `tendermint.types.Block`, so that one can be read without the others. */
export function txSpans(block: Uint8Array): Span[] {
  const spans: Span[] = [];
  const reader = new Reader(block, 'Block');
  while (reader.next()) {
    if (reader.field !== DATA) {
      reader.skip();
      continue;
    }
    const data = reader.message('Data');
    while (data.next()) {
      if (data.field === TXS) {
        const tx = data.bytes();
        spans.push({ offset: tx.byteOffset - block.byteOffset, length: tx.length });
      } else data.skip();
    }
  }
  return spans;
}
