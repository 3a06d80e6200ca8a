import { decodeTransaction, parseDenom } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Backlog } from '../queue/backlog.ts';
import { getGroup, type Item } from '../queue/items.ts';
import { CHAT, makeItem, payer } from '../testing/builders.ts';
import { bundledSize, envelopeSize, groupProblem, longestItem, nextBundle, signBundle } from './bundle.ts';

const anyPayer = fc.record({
  chainId: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  feeAsset: fc.constantFrom('nria', 'transfer/channel-7/utia').map(parseDenom),
  nonce: fc.nat(0xffff_ffff),
});
const sized = (length: number) => ({ ...makeItem('x'), data: new Uint8Array(length).fill(7) });

test('a transaction is never longer than it was reckoned, and not much shorter', () => {
  fc.assert(
    fc.property(
      anyPayer,
      fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 6 }),
      (who, lengths) => {
        const bytes = signBundle(lengths.map(sized), who.nonce, { ...payer, ...who });
        const reckoned = lengths.reduce(
          (sum, length) => sum + bundledSize(length, who.feeAsset),
          envelopeSize(who.chainId),
        );
        expect(bytes.length).toBeLessThanOrEqual(reckoned);
        expect(bytes.length).toBeGreaterThan(reckoned - 64);
      },
    ),
    { numRuns: 50 },
  );
});

test('bundles hold as much as fits, in order, and nothing twice', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1_000, max: 3_000 }),
      (lengths, maxBytes) => {
        const backlog = new Backlog();
        const items = lengths.map(sized);
        backlog.arrive(items);
        backlog.keep({ first: 1, items });
        let next = 1;
        while (backlog.isWaiting) {
          const ranges = nextBundle(backlog, payer, maxBytes);
          expect(ranges).toEqual([{ from: next, to: ranges[0]?.to }]);
          next = ranges[0]?.to ?? next;
          expect(signBundle(backlog.items(ranges), 0, payer).length).toBeLessThanOrEqual(maxBytes);
          const [following] = backlog.items(next <= items.length ? [{ from: next, to: next + 1 }] : []);
          if (following === undefined) continue;
          const more = signBundle([...backlog.items(ranges), following], 0xffff_ffff, payer);
          expect(more.length).toBeGreaterThan(maxBytes - 64);
        }
        expect(next).toBe(lengths.length + 1);
      },
    ),
    { numRuns: 50 },
  );
});

test('the longest submission fills a bundle', () => {
  fc.assert(
    fc.property(anyPayer, fc.integer({ min: 1_000, max: 100_000 }), (who, maxBytes) => {
      const length = longestItem(maxBytes, { ...payer, ...who });
      const bytes = signBundle([sized(length)], who.nonce, { ...payer, ...who });
      expect(bytes.length).toBeLessThanOrEqual(maxBytes);
      expect(bytes.length).toBeGreaterThan(maxBytes - 80);
    }),
    { numRuns: 50 },
  );
});

test('an item that is longer than a bundle goes alone', () => {
  const backlog = new Backlog();
  const items = [sized(2_000), sized(10)];
  backlog.arrive(items);
  backlog.keep({ first: 1, items });
  expect(nextBundle(backlog, payer, 1_000)).toEqual([{ from: 1, to: 2 }]);
});

test('signing is repeatable; without items the account pays itself', () => {
  expect(signBundle([makeItem('a')], 3, payer)).toEqual(signBundle([makeItem('a')], 3, payer));
  const { actions, nonce, chainId, signer } = decodeTransaction(signBundle([], 7, payer));
  expect({ nonce, chainId, signer }).toEqual({ nonce: 7, chainId: 'test-chain', signer: payer.signer.account });
  expect(actions).toMatchObject([{ kind: 'transfer', to: { account: payer.signer.account }, amount: 1n }]);
});

test('a group goes into one bundle; what does not fit beside it waits for the next', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 4 }), { maxLength: 12 }),
      (lengths) => {
        const backlog = new Backlog();
        const groups = lengths.map((each) =>
          getGroup(
            each.map((length) => ({ rollup: CHAT, data: sized(length).data })),
            () => undefined,
          ),
        );
        const items = groups.flatMap((group) => group.items);
        backlog.arrive(items);
        backlog.keep({ first: 1, items });
        const bundles: (readonly Item[])[] = [];
        while (backlog.isWaiting) bundles.push([...backlog.items(nextBundle(backlog, payer, 1_000))]);
        expect(bundles.flat()).toEqual(items);
        for (const bundle of bundles) {
          expect(signBundle(bundle, 0, payer).length).toBeLessThanOrEqual(1_000);
          for (const { group } of bundle) expect(bundle).toEqual(expect.arrayContaining([...(group?.items ?? [])]));
        }
      },
    ),
    { numRuns: 50 },
  );
});

test('the problem of a group that is too large names the first entry for which there is no room', () => {
  const entries = [sized(300), sized(300), sized(300), sized(1)];
  expect(groupProblem(entries.slice(0, 2), payer, 1_000)).toBeUndefined();
  const size = entries.reduce(
    (sum, { data }) => sum + bundledSize(data.length, payer.feeAsset),
    envelopeSize(payer.chainId),
  );
  expect(groupProblem(entries, payer, 1_000)).toBe(
    `the bundle has ${size} bytes as a transaction, expected at most 1000: entry 3 of 4 has no room`,
  );
});
