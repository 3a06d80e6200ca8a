/**
 * Repeated byte fields of protobuf, many at a time.
 *
 * A block can hold ten thousand of them, and ten thousand small buffers cost more memory and time than their bytes: so all
 * are written into one, and each is a view of it.
 */

/** Fields with this number, which is below 16, and these contents, in a row. */
export function encodeFields(field: number, contents: readonly Uint8Array[]): Uint8Array {
  return write(field, contents, () => undefined);
}

/** Encodes like {@link encodeFields}, and returns one view for each field. */
export function encodeEachField(field: number, contents: readonly Uint8Array[]): Uint8Array[] {
  const spans: (readonly [number, number])[] = [];
  const bytes = write(field, contents, (start, end) => spans.push([start, end]));
  return spans.map(([start, end]) => bytes.subarray(start, end));
}

function write(field: number, contents: readonly Uint8Array[], written: (start: number, end: number) => void) {
  let size = 0;
  for (const { length } of contents) size += 1 + varintSize(length) + length;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const content of contents) {
    const start = at;
    bytes[at++] = field * 8 + 2;
    let rest = content.length;
    for (; rest >= 0x80; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
    bytes[at++] = rest;
    bytes.set(content, at);
    at += content.length;
    written(start, at);
  }
  return bytes;
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest >>>= 7) size += 1;
  return size;
}
