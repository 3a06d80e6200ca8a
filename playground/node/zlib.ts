import { Buffer } from 'buffer';
import { deflateSync, inflateSync } from 'fflate';

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  return sum;
});

/** CRC-32, as `node:zlib` has it. */
export function crc32(data: string | Uint8Array, before = 0): number {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  let sum = ~before;
  // An index within the array, and below 256.
  for (let at = 0; at < bytes.length; at += 1)
    sum = (sum >>> 8) ^ (TABLE[(sum ^ (bytes[at] as number)) & 0xff] as number);
  return ~sum >>> 0;
}

/** Data without a header (RFC 1951). */
export const deflateRawSync = (data: string | Uint8Array): Buffer => Buffer.from(deflateSync(Buffer.from(data)));
export const inflateRawSync = (data: Uint8Array): Buffer => Buffer.from(inflateSync(data));
