import type { Span } from './block-index.ts';

/** Field numbers of `tendermint.types.Block` and `Data`. */
const DATA = 2;
const TXS = 1;
const LENGTH_DELIMITED = 2;

/**
 * Where each transaction lies in an encoded `tendermint.types.Block`, so that one can be read without the others.
 *
 * @throws when the bytes are not such a block; we wrote them ourselves.
 */
export function txSpans(block: Uint8Array): Span[] {
  return fields(block, 0, block.length, DATA).flatMap(({ offset, length }) =>
    fields(block, offset, offset + length, TXS),
  );
}

/** The contents of every length-delimited field `wanted` between `start` and `end`. */
function fields(bytes: Uint8Array, start: number, end: number, wanted: number): Span[] {
  const found: Span[] = [];
  let at = start;
  function varint(): number {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at];
      if (byte === undefined || at >= end || shift > 2 ** 28) throw new Error(`malformed block: offset=${at}`);
      at += 1;
      value += (byte & 0x7f) * shift;
      if (byte < 0x80) return value;
    }
  }
  while (at < end) {
    const tag = varint();
    if (tag % 8 !== LENGTH_DELIMITED) throw new Error(`malformed block: offset=${at} tag=${tag}`);
    const length = varint();
    if (at + length > end) throw new Error(`malformed block: offset=${at} length=${length}`);
    if (Math.floor(tag / 8) === wanted) found.push({ offset: at, length });
    at += length;
  }
  return found;
}
