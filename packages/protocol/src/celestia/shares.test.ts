import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Rejected } from '../errors.ts';
import { toBytes } from '../testing.ts';
import { celestiaAccountFromBytes } from './account.ts';
import { namespaceBytes, namespaceFromId } from './namespace.ts';
import { blobsInShares, type CelestiaBlob, paddingShare, SHARE_LENGTH, shareCount, sharesOfBlob } from './shares.ts';

const NAMESPACE = namespaceFromId(new Uint8Array(10).fill(0x2a));
const AUTHOR = celestiaAccountFromBytes(new Uint8Array(20).fill(7));
const makeBlob = (length: number, author?: typeof AUTHOR): CelestiaBlob => ({
  namespace: NAMESPACE,
  data: Uint8Array.from({ length }, (_, index) => (index * 7 + 1) & 255),
  author,
});
const getShares = (...blobs: CelestiaBlob[]) => blobs.flatMap(sharesOfBlob);
const changed = (share: Uint8Array | undefined, at: number, value: number) => {
  const copy = Uint8Array.from(share ?? []);
  copy[at] = value;
  return copy;
};
const INFO = 29;
const LENGTH_END = 33;

test('a share is namespace, version and start, length, author, data, zeros', () => {
  const [share] = getShares(makeBlob(3, AUTHOR));
  const author = Array<number>(20).fill(7);
  const expected = [...namespaceBytes(NAMESPACE), 0b11, 0, 0, 0, 3, ...author, 1, 8, 15];
  expect([...(share ?? [])]).toEqual([...expected, ...Array<number>(SHARE_LENGTH - expected.length).fill(0)]);
});

test.each([
  ['one, full', 478, undefined, 1],
  ['one byte more', 479, undefined, 2],
  ['two, full', 478 + 482, undefined, 2],
  ['one with its author, full', 458, AUTHOR, 1],
  ['one byte more with its author', 459, AUTHOR, 2],
])('shares by length: %s', (_, length, author, count) => {
  expect(getShares(makeBlob(length, author))).toHaveLength(count);
  expect(shareCount(length, author === undefined ? 0 : 1)).toBe(count);
});

test('any blobs are read from their shares, with padding between them', () => {
  const blob = fc.record({ length: fc.integer({ min: 1, max: 2_000 }), authored: fc.boolean(), padding: fc.nat(2) });
  fc.assert(
    fc.property(fc.array(blob, { maxLength: 6 }), (list) => {
      const blobs = list.map(({ length, authored }) => makeBlob(length, authored ? AUTHOR : undefined));
      const starts: number[] = [];
      const shares: Uint8Array[] = [];
      for (const [index, each] of blobs.entries()) {
        for (let left = list[index]?.padding ?? 0; left > 0; left--) shares.push(paddingShare(NAMESPACE));
        starts.push(shares.length);
        shares.push(...sharesOfBlob(each));
      }
      expect(blobsInShares(NAMESPACE, shares)).toEqual(blobs.map((each, i) => ({ ...each, share: starts[i] })));
    }),
    { numRuns: 50 },
  );
});

test('a sequence of a later version is passed over, whatever it states', () => {
  const [first, second] = getShares(makeBlob(600));
  const later = [changed(first, INFO, 0b101), changed(second, INFO, 0b100)];
  const shares = [...getShares(makeBlob(10)), ...later, ...getShares(makeBlob(20))];
  expect(blobsInShares(NAMESPACE, shares).map(({ data, share }) => [data.length, share])).toEqual([
    [10, 0],
    [20, 3],
  ]);
});

const [first, second, third] = getShares(makeBlob(1_400));
test.each<[string, (Uint8Array | undefined)[], string]>([
  ['a share that is too short', [first?.subarray(1), second, third], 'is of 511 bytes'],
  ['a continuation that is too short', [first, second?.subarray(0, 511), third], 'is of 511 bytes'],
  ['a continuation without a start', [second, third], 'continues no sequence'],
  ['a continuation after the end', [first, second, third, third], 'continues no sequence'],
  ['a sequence that is cut short', [first, second], 'starts 1400 bytes, which do not follow'],
  ['a start before the end', [first, second, first, second, third], 'is none of its sequence'],
  ['another version in the middle', [first, changed(second, INFO, 0b10), third], 'is none of its sequence'],
  ['a length of four gigabytes', [changed(first, INFO + 1, 0xff), second, third], 'which do not follow'],
])('refuses %s', (_, shares, problem) => {
  const given = shares.map((share) => share ?? new Uint8Array());
  expect(() => blobsInShares(NAMESPACE, given)).toThrow(Rejected);
  expect(() => blobsInShares(NAMESPACE, given)).toThrow(problem);
});

test('no bytes make it throw anything but its own error', () => {
  const share = fc.tuple(toBytes(SHARE_LENGTH), fc.nat(5), fc.nat(3)).map(([bytes, info, length]) => {
    bytes.set([info, 0, 0, length], INFO);
    bytes[LENGTH_END] = length;
    return bytes;
  });
  fc.assert(
    fc.property(fc.array(share, { maxLength: 5 }), (shares) => {
      try {
        blobsInShares(NAMESPACE, shares);
      } catch (error) {
        expect(error).toBeInstanceOf(Rejected);
      }
    }),
  );
});

test('a blob without data has no shares', () => {
  expect(() => sharesOfBlob(makeBlob(0))).toThrow(Rejected);
});
