import type { Read } from '@switchyard/rollup';
import type { ExactJson, ExactRecord } from '@switchyard/service';
import { parseRecipient } from './rules.ts';
import type { Address, Data, Hash } from './types.ts';

/* How single values are written in genesis files. */

/** A JSON number, decimal text or hex with `0x`; bounds are inclusive. */
export function uint(bits: number, min = 0n): Read<bigint> {
  return (value, path, report) => {
    const isText = typeof value === 'string' && /^(?:0x[0-9a-fA-F]{1,64}|\d{1,78})$/.test(value);
    const number = isText ? BigInt(value) : value;
    if (typeof number === 'bigint' && number >= min && number >> BigInt(bits) === 0n) return number;
    return void report(path, `a number from ${min} to 2^${bits} - 1, in decimal or as hex with 0x`, value);
  };
}

export const addressText: Read<Address> = (value, path, report) => {
  const address = typeof value === 'string' ? parseRecipient(value) : undefined;
  return address ?? void report(path, 'an address of 40 hex digits, all in one case or with a valid checksum', value);
};

/** At most 32 bytes; shorter ones are filled up on the left. */
export const wordText: Read<Hash> = (value, path, report) => {
  const digits = typeof value === 'string' ? /^(?:0x)?([0-9a-fA-F]{1,64})$/.exec(value)?.[1] : undefined;
  if (digits === undefined) return void report(path, 'at most 32 bytes as hex with 0x', value);
  return `0x${digits.toLowerCase().padStart(64, '0')}`;
};

export function dataText(maxBytes: number): Read<Data> {
  return (value, path, report) => {
    const digits = typeof value === 'string' ? /^(?:0x)?((?:[0-9a-fA-F]{2})*)$/.exec(value)?.[1] : undefined;
    if (digits !== undefined && digits.length <= 2 * maxBytes) return `0x${digits.toLowerCase()}`;
    return void report(path, `at most ${maxBytes} bytes as hex with 0x`, value);
  };
}

export function isRecord(value: ExactJson | undefined): value is ExactRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
