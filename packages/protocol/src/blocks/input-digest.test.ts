import { expect, test } from 'vitest';
import { parseAddress } from '../accounts/address.ts';
import { toHex, txHashFromHex } from '../accounts/ids.ts';
import { decodeRollupData, encodeDeposit, type RollupData, rollupIdFromName } from '../index.ts';
import { baseInputDigest, nextInputDigest } from './input-digest.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);
const data = (...values: number[]): RollupData => ({ kind: 'sequencedData', data: bytes(...values) });
const unknown: RollupData = { kind: 'unknown' };
const deposit = {
  bridge: { account: parseAddress('astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm'), prefix: 'astria' },
  rollup: rollupIdFromName('r'),
  amount: 2n ** 100n,
  asset: 'nria',
  destination: 'somewhere',
  sourceTransaction: txHashFromHex('ab'.repeat(32)),
  sourceAction: 3n,
};
const credited: RollupData = { kind: 'deposit', deposit };

const base = baseInputDigest('parent');
const input = {
  entries: [data(1, 2), credited, unknown],
  timestamp: { seconds: 5n, nanos: 6 },
  sequencerBlockHash: 'cd'.repeat(32),
};

test('the digest of a block is pinned: both ends of the wire compute it', () => {
  expect(toHex(nextInputDigest(base, input))).toBe('3bd7cd13515baa0ba25543369c70f70654ff152e4caba3dfe8ed017595e32e39');
});

test.each<[string, typeof input, Uint8Array]>([
  ['another time', { ...input, timestamp: { seconds: 5n, nanos: 7 } }, base],
  ['another sequencer block', { ...input, sequencerBlockHash: 'ce'.repeat(32) }, base],
  ['another history', input, baseInputDigest('another parent')],
  ['another order', { ...input, entries: [credited, data(1, 2), unknown] }, base],
  ['bytes moved to the next entry', { ...input, entries: [data(1), data(2), credited, unknown] }, base],
  ['a missing unknown entry', { ...input, entries: [data(1, 2), credited] }, base],
  ['data in place of an unknown entry', { ...input, entries: [data(1, 2), credited, data()] }, base],
  [
    'another amount',
    { ...input, entries: [data(1, 2), { kind: 'deposit', deposit: { ...deposit, amount: 1n } }, unknown] },
    base,
  ],
  [
    'a deposit as data',
    { ...input, entries: [data(1, 2), { kind: 'sequencedData', data: encodeDeposit(deposit) }, unknown] },
    base,
  ],
])('%s is another digest', (_, other, from) => {
  expect(toHex(nextInputDigest(from, other))).not.toBe(toHex(nextInputDigest(base, input)));
});

test('what went over the wire has the same digest', () => {
  const again = decodeRollupData(encodeDeposit(deposit));
  const entries = [data(1, 2), again, unknown];
  expect(nextInputDigest(base, { ...input, entries })).toEqual(nextInputDigest(base, input));
});
