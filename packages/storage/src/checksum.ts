import { crc32 } from 'node:zlib';

/** Length that a checksum adds to each stored value. */
export const CHECKSUM_BYTES = 4;

/** Start of a table's checksums, so that a record in another table of the same file does not pass either. */
export function tableSeed(table: string): number {
  return table === '' ? 0 : crc32(table);
}

/** The value in stored form: followed by the CRC-32, big-endian, over its key and itself. */
export function sealValue(seed: number, key: string | Uint8Array, value: Uint8Array): Uint8Array {
  return sealInto(new Uint8Array(value.length + CHECKSUM_BYTES), seed, key, value);
}

/**
 * Seals a value into a buffer that is good until the next call, for writes that are done before that. LMDB asks for the address
 * of each array that it is given for the first time, which takes longer than a short write.
 */
export function sealValueOnce(seed: number, key: string | Uint8Array, value: Uint8Array): Uint8Array {
  const length = value.length + CHECKSUM_BYTES;
  return length > once.length ? sealValue(seed, key, value) : sealInto(once.subarray(0, length), seed, key, value);
}

const once = new Uint8Array(16_384);

function sealInto(sealed: Uint8Array, seed: number, key: string | Uint8Array, value: Uint8Array): Uint8Array {
  sealed.set(value);
  const sum = crc32(value, crc32(key, seed));
  const at = value.length;
  sealed[at] = sum >>> 24;
  sealed[at + 1] = sum >>> 16;
  sealed[at + 2] = sum >>> 8;
  sealed[at + 3] = sum;
  return sealed;
}

/** Whether the bytes are a value stored under this key, undamaged. */
export function isSealed(seed: number, key: string | Uint8Array, stored: Uint8Array): boolean {
  const at = stored.length - CHECKSUM_BYTES;
  return at >= 0 && crc32(stored.subarray(0, at), crc32(key, seed)) === storedSum(stored, at);
}

/**
 * A copy of the value in the first `length` bytes of `memory`; undefined if that is not a value stored under this
 * key, undamaged. Reads are frequent and most values short, so it allocates the copy and nothing else.
 */
export function openSealed(
  seed: number,
  key: string | Uint8Array,
  memory: Uint8Array,
  length: number,
): Uint8Array | undefined {
  const at = length - CHECKSUM_BYTES;
  if (at < 0) return undefined;
  const value = copyOfBytes(memory, at);
  return crc32(value, crc32(key, seed)) === storedSum(memory, at) ? value : undefined;
}

/** A copy of the first bytes. */
export function copyOfBytes(memory: Uint8Array, length: number): Uint8Array {
  const copy = new Uint8Array(length);
  if (length > SHORT) copy.set(new Uint8Array(memory.buffer, memory.byteOffset, length));
  else for (let index = 0; index < length; index += 1) copy[index] = memory[index] as number;
  return copy;
}

/** Up to this a loop copies faster than a view does. */
const SHORT = 64;

function storedSum(stored: Uint8Array, at: number): number {
  return (
    (((stored[at] as number) << 24) |
      ((stored[at + 1] as number) << 16) |
      ((stored[at + 2] as number) << 8) |
      (stored[at + 3] as number)) >>>
    0
  );
}
