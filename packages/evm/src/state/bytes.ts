/** 8 bytes, big-endian: sorts as the numbers do. */
import { putUint64 } from '@switchyard/protocol/ethereum';
export function bytesOfNumber(number: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  putUint64(bytes, 0, number);
  return bytes;
}

/** A character for each byte. */
export function toLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
