/** Writes the bytes of lower-case hex with `0x`. Faster than a `Buffer` of it, for what is as short as a key. */
export function putHex(into: Uint8Array, at: number, text: string): void {
  for (let index = 2, position = at; index < text.length; index += 2, position++) {
    into[position] = nibbleOf(text.charCodeAt(index)) * 16 + nibbleOf(text.charCodeAt(index + 1));
  }
}

/** @param character Code of a lower-case hex digit. */
export function nibbleOf(character: number): number {
  return character < 58 ? character - 48 : character - 87;
}

/** 8 bytes, big-endian: sorts as the numbers do. */
export function bytesOfNumber(number: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, number);
  return bytes;
}

/** A character for each byte. */
export function latin1Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
