/** Bytes, or a list of such items (Yellow Paper, appendix B). */
export type RlpItem = Uint8Array | readonly RlpItem[];

/** Recursive length prefix encoding. */
export function encodeRlp(item: RlpItem): Uint8Array {
  if (item instanceof Uint8Array) {
    const [first] = item;
    if (item.length === 1 && first !== undefined && first < 0x80) return item;
    return Buffer.concat([prefix(item.length, 0x80), item]);
  }
  const body = Buffer.concat(item.map(encodeRlp));
  return Buffer.concat([prefix(body.length, 0xc0), body]);
}

function prefix(length: number, base: number): Uint8Array {
  if (length < 56) return Uint8Array.of(base + length);
  const digits = length.toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  return Buffer.concat([Uint8Array.of(base + 55 + bytes.length), bytes]);
}
