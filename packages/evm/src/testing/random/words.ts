import type { Random } from '@switchyard/service/testing';

/* Numbers at which instructions change their behaviour, and some in between. */

const EDGES: readonly bigint[] = [
  ...[0n, 1n, 2n, 3n, 7n, 8n, 31n, 32n, 33n, 63n, 64n, 127n, 128n, 255n, 256n, 257n],
  ...[7n, 8n, 15n, 16n, 31n, 32n, 63n, 64n, 127n, 128n, 160n, 255n].map((bits) => 1n << bits),
  ...[32n, 64n, 128n, 160n, 255n, 256n].map((bits) => (1n << bits) - 1n),
  (1n << 255n) + 1n,
  (1n << 256n) - 2n,
];

/** Most often an edge, otherwise of any length. */
export function word(random: Random): bigint {
  if (random.chance(0.6)) return random.pick(EDGES);
  return numberOfBytes(random, random.between(1, 32));
}

/** A place in memory or a length that is affordable more often than not. */
export function small(random: Random): bigint {
  if (random.chance(0.9)) return BigInt(random.pick([0, 0, 1, 4, 20, 31, 32, 33, 64, 95, 96, 160, 256]));
  return random.chance(0.6) ? BigInt(random.between(0, 4_096)) : word(random);
}

export function bytes(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => (random.chance(0.2) ? 0 : random.between(0, 255)));
}

function numberOfBytes(random: Random, length: number): bigint {
  let number = 0n;
  for (let at = 0; at < length; at++) number = (number << 8n) | BigInt(random.between(0, 255));
  return number;
}
