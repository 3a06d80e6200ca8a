import type { Address, Data, Hash } from '../types.ts';

/** An answer of the execution client that makes no sense. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

/** What JSON-RPC answered, read by type. @throws {BadAnswer} naming the path. */
export const read = {
  object(value: unknown, path: string): Readonly<Record<string, unknown>> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bad(path, 'an object', value);
    // Every member is read by one of these functions before it is used.
    return value as Readonly<Record<string, unknown>>;
  },

  list(value: unknown, path: string): readonly unknown[] {
    if (!Array.isArray(value)) throw bad(path, 'a list', value);
    return value;
  },

  text(value: unknown, path: string): string {
    if (typeof value !== 'string') throw bad(path, 'text', value);
    return value;
  },

  quantity(value: unknown, path: string): bigint {
    if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value)) throw bad(path, 'a number in hex', value);
    return BigInt(value);
  },

  data(value: unknown, path: string, bytes?: number): Data {
    if (typeof value !== 'string' || !isData(value)) throw bad(path, 'bytes in hex', value);
    if (bytes !== undefined && value.length !== 2 + 2 * bytes) throw bad(path, `${bytes} bytes in hex`, value);
    return value;
  },

  hash(value: unknown, path: string): Hash {
    return read.data(value, path, 32);
  },

  address(value: unknown, path: string): Address {
    return lower(read.data(value, path, 20));
  },
};

/** A number as JSON-RPC writes it: hex without leading zeros. */
export function quantity(value: bigint): Data {
  return `0x${value.toString(16)}`;
}

function isData(text: string): text is Data {
  return text.length % 2 === 0 && /^0x[0-9a-f]*$/i.test(text);
}

function lower(data: Data): Data {
  return `0x${data.slice(2).toLowerCase()}`;
}

function bad(path: string, expected: string, got: unknown): BadAnswer {
  return new BadAnswer(`${path}: expected ${expected}, got ${(JSON.stringify(got) ?? 'nothing').slice(0, 100)}`);
}
