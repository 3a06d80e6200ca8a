import { manualClock } from '@switchyard/service/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BelievedNonce } from './believed-nonce.ts';

function makeNonce() {
  const clock = manualClock();
  return { clock, nonce: new BelievedNonce(clock) };
}

test('what our own transactions explain counts at once', () => {
  const { nonce } = makeNonce();
  nonce.report(3, 5);
  expect([nonce.value, nonce.isInDoubt]).toEqual([3, false]);
});

test('a jump counts when it is reported again after a while, and as far as both reports say', async () => {
  const { nonce, clock } = makeNonce();
  nonce.report(7, 0);
  expect([nonce.value, nonce.isInDoubt]).toEqual([0, true]);
  await clock.advance(999);
  nonce.report(9, 0);
  expect(nonce.isInDoubt).toBe(true);
  await clock.advance(1);
  nonce.report(9, 0);
  expect([nonce.value, nonce.isInDoubt]).toEqual([7, false]);
});

test('a jump that is taken back was never there', async () => {
  const { nonce, clock } = makeNonce();
  nonce.report(9_000_000, 4);
  await clock.advance(500);
  nonce.report(4, 4);
  expect([nonce.value, nonce.isInDoubt]).toEqual([4, false]);
});

test('reports that last shorter than a second never raise it above the truth', () => {
  const report = fc.record({ lie: fc.boolean(), ms: fc.nat(300), far: fc.integer({ min: 1, max: 9_000_000 }) });
  fc.assert(
    fc.asyncProperty(fc.array(report, { maxLength: 40 }), async (reports) => {
      const { nonce, clock } = makeNonce();
      let lyingSince: number | undefined;
      for (const { lie, ms, far } of reports) {
        const isLie = lie && (lyingSince === undefined || clock.now() - lyingSince < 999);
        lyingSince = isLie ? (lyingSince ?? clock.now()) : undefined;
        nonce.report(isLie ? 5 + far : 5, 5);
        expect(nonce.value).toBeLessThanOrEqual(5);
        await clock.advance(ms);
      }
    }),
  );
});
