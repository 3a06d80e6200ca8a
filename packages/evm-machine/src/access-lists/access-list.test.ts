// biome-ignore-all lint/style/noRestrictedImports: reads vectors
import { readFileSync } from 'node:fs';
import { bytesToHex, encodeRlp, hexToBytes, InvalidRlp, type RlpInput, toWord } from '@switchyard/protocol/ethereum';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Address } from '../types.ts';
import {
  type AccountAccess,
  type BlockAccessList,
  encodeAccessList,
  hashOfAccessList,
  itemsIn,
} from './access-list.ts';
import { decodeAccessList } from './decode.ts';
import { accessListJson } from './json.ts';

interface Vector {
  readonly name: string;
  readonly hash: string;
  readonly list: readonly VectorAccount[];
}

interface VectorAccount {
  readonly address: Address;
  readonly storageChanges: readonly { readonly key: Address; readonly changes: readonly VectorChange[] }[];
  readonly storageReads: readonly Address[];
  readonly balanceChanges: readonly VectorChange[];
  readonly nonceChanges: readonly VectorChange[];
  readonly codeChanges: readonly { readonly index: string; readonly code: Address }[];
}

interface VectorChange {
  readonly index: string;
  readonly value: string;
}

const file = new URL('../../testdata/access-lists/lists.json', import.meta.url);
const vectors: readonly Vector[] = JSON.parse(readFileSync(file, 'utf8'));

const change = ({ index, value }: VectorChange) => ({ index: Number(index), value: BigInt(value) });

function makeAccount(given: VectorAccount): AccountAccess {
  return {
    ...given,
    storageChanges: given.storageChanges.map(({ key, changes }) => ({ slot: key, changes: changes.map(change) })),
    balanceChanges: given.balanceChanges.map(change),
    nonceChanges: given.nonceChanges.map(change),
    codeChanges: given.codeChanges.map(({ index, code }) => ({ index: Number(index), value: hexToBytes(code) })),
  };
}

test.each(vectors)('the list of $name has the hash that its header has', ({ hash, list }) => {
  const encoded = encodeAccessList(list.map(makeAccount));
  expect(hashOfAccessList(encoded)).toBe(hash);
  expect(accessListJson(decodeAccessList(encoded))).toEqual(list);
});

const A = '0x00000000000000000000000000000000000000aa';
const B = '0x00000000000000000000000000000000000000bb';
const EMPTY: readonly RlpInput[] = [[], [], [], [], []];
/** An account of a list with some of its five parts. */
const item = (address: Address, ...parts: readonly RlpInput[]): RlpInput => [
  address,
  ...parts,
  ...EMPTY.slice(parts.length),
];

describe('a list is refused', () => {
  test.each<readonly [string, RlpInput, string]>([
    ['that is no list', 1n, 'a list is missing'],
    ['whose addresses are not in order', [item(B), item(A)], `addresses: ${A} after ${B}`],
    ['with an address twice', [item(A), item(A)], `addresses: ${A} after ${A}`],
    ['with an address of 19 bytes', [item('0x00')], 'an item has 1 bytes, expected 20'],
    ['with an account of five parts', [[A, [], [], [], []]], 'a list has 5 items, expected 6'],
    ['with a read slot twice', [item(A, [], [1n, 1n])], `read slots of ${A}: ${toWord(1n)} after ${toWord(1n)}`],
    [
      'with read slots that are not in order',
      [item(A, [], [2n, 1n])],
      `read slots of ${A}: ${toWord(1n)} after ${toWord(2n)}`,
    ],
    [
      'with changed slots that are not in order',
      [
        item(A, [
          [2n, [[1n, 1n]]],
          [1n, [[1n, 1n]]],
        ]),
      ],
      `changed slots of ${A}: ${toWord(1n)} after ${toWord(2n)}`,
    ],
    [
      'with a slot both changed and read',
      [item(A, [[1n, [[1n, 1n]]]], [1n])],
      `slot ${toWord(1n)} of ${A} is both changed and read`,
    ],
    ['with a changed slot without a change', [item(A, [[1n, []]])], `slot ${toWord(1n)} is changed without a change`],
    [
      'with two values of a slot at one index',
      [
        item(A, [
          [
            1n,
            [
              [1n, 1n],
              [1n, 2n],
            ],
          ],
        ]),
      ],
      `values of slot ${toWord(1n)}: 1 after 1`,
    ],
    [
      'with balances that are not in order',
      [
        item(
          A,
          [],
          [],
          [
            [2n, 1n],
            [1n, 1n],
          ],
        ),
      ],
      `balances of ${A}: 1 after 2`,
    ],
    ['with a nonce of nine bytes', [item(A, [], [], [], [[1n, 1n << 64n]])], 'a number has 9 bytes, at most 8 fit'],
    [
      'with two codes at one index',
      [
        item(
          A,
          [],
          [],
          [],
          [],
          [
            [1n, '0x00'],
            [1n, '0x01'],
          ],
        ),
      ],
      `codes of ${A}: 1 after 1`,
    ],
    ['with a slot that begins with a zero', [item(A, [], [Uint8Array.of(0, 1)])], 'a number begins with a zero'],
    ['with an index of five bytes', [item(A, [], [], [[1n << 32n, 1n]])], 'a number has 5 bytes, at most 4 fit'],
  ])('%s', (_, tree, message) => {
    expect(() => decodeAccessList(encodeRlp(tree))).toThrow(new InvalidRlp(message));
  });

  test('that is cut or changed anywhere, or it is another list', () => {
    const encoded = encodeAccessList((vectors[0]?.list ?? []).map(makeAccount));
    fc.assert(
      fc.property(fc.nat(encoded.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = encoded.slice();
        changed[at] = (changed[at] ?? 0) ^ by;
        expect(bytesToHex(reencoded(changed) ?? changed)).toBe(bytesToHex(changed));
        expect(reencoded(encoded.slice(0, at))).toBeUndefined();
      }),
    );
  });
});

function reencoded(bytes: Uint8Array): Uint8Array | undefined {
  try {
    return encodeAccessList(decodeAccessList(bytes));
  } catch (error) {
    if (error instanceof InvalidRlp) return undefined;
    throw error;
  }
}

test('addresses and slots are counted as items, and changes are not', () => {
  const list: BlockAccessList = decodeAccessList(
    encodeRlp([
      item(
        A,
        [
          [
            1n,
            [
              [1n, 1n],
              [2n, 2n],
            ],
          ],
        ],
        [2n, 3n],
        [[1n, 5n]],
      ),
      item(B),
    ]),
  );
  expect(itemsIn(list)).toBe(5);
});
