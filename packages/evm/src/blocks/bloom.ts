import type { Data, Log } from '@switchyard/evm-machine/types';
import { hexToBytes, keccakView } from '@switchyard/protocol/ethereum';
import { GenerationalCache } from '../state/generational-cache.ts';

const BLOOM_BYTES = 256;

/** A bloom filter of 256 bytes over addresses and topics (Yellow Paper, 4.3.1). */
export function computeBloom(logs: readonly Log[]): Uint8Array {
  const bloom = new Uint8Array(BLOOM_BYTES);
  for (const { address, topics } of logs) {
    add(bloom, address);
    for (const topic of topics) add(bloom, topic);
  }
  return bloom;
}

/** The filter of everything that any of `blooms` holds. */
export function joinBlooms(blooms: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(BLOOM_BYTES);
  for (const bloom of blooms) {
    if (bloom === EMPTY_BLOOM) continue;
    for (let at = 0; at < BLOOM_BYTES; at += 1) joined[at] = (joined[at] ?? 0) | (bloom[at] ?? 0);
  }
  return joined;
}

/** Bloom without logs. */
export const EMPTY_BLOOM = new Uint8Array(BLOOM_BYTES);

/** The three bits of addresses and topics that were logged of late: most are logged over and over. */
const known = new GenerationalCache<Data, readonly number[]>(16_384);

function add(bloom: Uint8Array, item: Data): void {
  const bits = known.get(item) ?? getBits(item);
  for (const bit of bits) {
    const byte = BLOOM_BYTES - 1 - (bit >> 3);
    bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit & 7));
  }
}

function getBits(item: Data): readonly number[] {
  const hash = keccakView(hexToBytes(item));
  const bits = [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047);
  known.set(item, bits);
  return bits;
}
