/** Fields that several actions have. */
import { type Denom, parseDenom, type Reader, Rejected } from '@switchyard/protocol';

export function readAddress(message: Reader, before = ''): string {
  let text = before;
  while (message.next()) {
    if (message.field === 2) text = message.string();
    else message.skip();
  }
  return text;
}

const LOW_64 = (1n << 64n) - 1n;

export function readAmount(message: Reader, before: bigint): bigint {
  let low = before & LOW_64;
  let high = before >> 64n;
  while (message.next()) {
    if (message.field === 1) low = message.uint64();
    else if (message.field === 2) high = message.uint64();
    else message.skip();
  }
  return (high << 64n) | low;
}

/** Nearly all transactions name the same few assets, and an asset's id costs a hash. Holds results, no state. */
const knownDenoms = new Map<string, Denom>();
const MAX_KNOWN_DENOMS = 256;

/** @throws {Rejected} `malformed`. */
export function denom(text: string): Denom {
  const known = knownDenoms.get(text);
  if (known !== undefined) return known;
  const parsed = parseDenom(text);
  if (knownDenoms.size >= MAX_KNOWN_DENOMS) knownDenoms.clear();
  knownDenoms.set(text, parsed);
  return parsed;
}

export function absent(part: string): Rejected {
  return new Rejected('malformed', { part, expected: 'present' });
}
