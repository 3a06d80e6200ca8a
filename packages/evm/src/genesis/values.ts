import type { Address, Data, Hash } from '@switchyard/evm-machine/types';
import { parseEthereumAddress } from '@switchyard/protocol/ethereum';
import type { Read } from '@switchyard/service/input';

/* How single values are written in genesis files. */

/** A JSON number, decimal text or hex with `0x`; undefined for anything else. */
export function findUint(value: unknown): bigint | undefined {
  const isText = typeof value === 'string' && /^(?:0x[0-9a-fA-F]{1,64}|\d{1,78})$/.test(value);
  if (isText) return BigInt(value);
  return typeof value === 'bigint' && value >= 0n ? value : undefined;
}

/** Bounds are inclusive. */
export function uint(bits: number, min = 0n): Read<bigint> {
  return (input) => {
    const number = findUint(input.value);
    if (number !== undefined && number >= min && number >> BigInt(bits) === 0n) return number;
    return input.fail(`a number from ${min} to 2^${bits} - 1, in decimal or as hex with 0x`);
  };
}

/** One number only. @param why The reason, if not obvious. */
export function exactly(expected: bigint, why?: string): Read<bigint> {
  return (input) =>
    findUint(input.value) === expected
      ? expected
      : input.fail(why === undefined ? String(expected) : `${expected} (${why})`);
}

/** Rejects a field that has no place here; null counts as absent. */
export function nothing(why: string): Read<undefined> {
  return (input) => (input.isPresent ? input.fail(`nothing: ${why}`) : undefined);
}

export const addressText: Read<Address> = (input) => {
  const address = typeof input.value === 'string' ? parseEthereumAddress(input.value) : undefined;
  return address ?? input.fail(ADDRESS);
};

export const ADDRESS = 'an address of 40 hex digits, all in one case or with a valid checksum';

/** At most 32 bytes; shorter ones are filled up on the left. */
export const wordText: Read<Hash> = (input) => {
  const digits = typeof input.value === 'string' ? /^(?:0x)?([0-9a-fA-F]{1,64})$/.exec(input.value)?.[1] : undefined;
  return digits === undefined
    ? input.fail('at most 32 bytes as hex with 0x')
    : `0x${digits.toLowerCase().padStart(64, '0')}`;
};

export function dataText(maxBytes: number): Read<Data> {
  return (input) => {
    const { value } = input;
    const digits = typeof value === 'string' ? /^(?:0x)?((?:[0-9a-fA-F]{2})*)$/.exec(value)?.[1] : undefined;
    if (digits !== undefined && digits.length <= 2 * maxBytes) return `0x${digits.toLowerCase()}`;
    return input.fail(`at most ${maxBytes} bytes as hex with 0x`);
  };
}
