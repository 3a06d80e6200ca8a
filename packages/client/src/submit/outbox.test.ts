import { manualClock } from '@switchyard/service/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Outbox } from './outbox.ts';

function makeOutbox(...nonces: readonly number[]) {
  const clock = manualClock();
  const outbox = new Outbox<{ readonly nonce: number }>({ takenMs: 3_000, notTakenMs: 250, clock });
  for (const nonce of nonces) outbox.put({ nonce });
  return { clock, outbox };
}

test('entries are offered in order, and none behind one that is not taken', async () => {
  const { clock, outbox } = makeOutbox(2, 0, 1);
  const [first, second, third] = outbox.entries;
  expect([first, second, third]).toEqual([{ nonce: 0 }, { nonce: 1 }, { nonce: 2 }]);
  if (first === undefined || second === undefined) return;
  expect(outbox.nextOffer()).toBe(first);
  outbox.answered(first, 'taken');
  expect(outbox.nextOffer()).toBe(second);
  outbox.answered(second, 'contested');
  expect([outbox.nextOffer(), outbox.isContestedSince(clock.now()), outbox.isClear]).toEqual([undefined, true, false]);
  await clock.advance(250);
  expect(outbox.nextOffer()).toBe(second);
  outbox.answered(second, 'taken');
  expect(outbox.nextOffer()).toBe(third);
});

test('an entry that was taken is offered again after a while, and at once when mempools may be lost', async () => {
  const { clock, outbox } = makeOutbox(0);
  const [entry = { nonce: -1 }] = outbox.entries;
  outbox.answered(entry, 'taken');
  expect([outbox.nextOffer(), outbox.offered]).toEqual([undefined, [entry]]);
  await clock.advance(3_000);
  expect(outbox.nextOffer()).toBe(entry);
  outbox.answered(entry, 'taken');
  outbox.forgetTaken();
  expect([outbox.nextOffer(), outbox.offered]).toEqual([entry, []]);
});

test('the free nonce is the lowest that is neither spent nor ours, and a gap is one that others wait for', () => {
  const { outbox } = makeOutbox(0, 1, 3);
  expect([outbox.freeNonce, outbox.hasGap, outbox.explainedNonce]).toEqual([2, true, 4]);
  outbox.put({ nonce: 2 });
  expect([outbox.freeNonce, outbox.hasGap]).toEqual([4, false]);
  outbox.report(4);
  outbox.remove(outbox.entries);
  expect([outbox.freeNonce, outbox.hasGap, outbox.isClear]).toEqual([4, false, true]);
});

test('a nonce that neither signed nor used transactions explain is in doubt', () => {
  const { outbox } = makeOutbox(0);
  outbox.report(2);
  expect([outbox.isNonceInDoubt, outbox.accountNonce]).toEqual([true, 0]);
  outbox.used(1);
  outbox.report(2);
  expect([outbox.isNonceInDoubt, outbox.accountNonce]).toEqual([false, 2]);
});

test('less than our transactions have reached means lost blocks, until it is reached again', () => {
  const { outbox } = makeOutbox(4);
  outbox.report(5);
  outbox.used(4);
  expect(outbox.lost).toBeUndefined();
  outbox.report(2);
  expect([outbox.accountNonce, outbox.lost]).toEqual([2, { reported: 2, reached: 5 }]);
  outbox.report(5);
  expect(outbox.lost).toBeUndefined();
});

test('whatever a node answers, each entry is offered as soon as all before it are taken, and no nonce is given twice', () => {
  const answer = fc.constantFrom('taken', 'taken', 'contested', 'later', 'refused', 'unconfirmed' as const);
  fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(answer, fc.nat(300)), { maxLength: 60 }), async (answers) => {
      const { clock, outbox } = makeOutbox();
      const given: number[] = [];
      const last = new Map<number, string>();
      for (const [verdict, ms] of answers) {
        if (outbox.isClear && outbox.entries.length < 4) {
          given.push(outbox.freeNonce);
          outbox.put({ nonce: outbox.freeNonce });
        }
        const next = outbox.nextOffer();
        const before = outbox.entries.slice(0, next === undefined ? 0 : outbox.entries.indexOf(next));
        expect(before.filter(({ nonce }) => last.get(nonce) !== 'taken')).toEqual([]);
        if (next !== undefined) outbox.answered(next, verdict);
        if (next !== undefined) last.set(next.nonce, verdict);
        await clock.advance(ms);
        const [first] = outbox.entries;
        if (outbox.entries.length === 4 && first !== undefined) {
          outbox.report(first.nonce + 1);
          outbox.remove([first]);
        }
      }
      expect(given).toEqual([...given.keys()]);
    }),
  );
});
