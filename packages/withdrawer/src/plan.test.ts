import fc from 'fast-check';
import { expect, test } from 'vitest';
import { affordable, balanceSheet, MAX_BUNDLE, nextBundle, type Standing } from './plan.ts';
import type { Withdrawal } from './withdrawal.ts';

const withdrawal = (number: number): Withdrawal => ({
  ...{ number, eventId: `e${number}`, block: 1n, sender: 'alice', to: 'bob', amount: 1n, memo: '' },
});
const NOW = 1_000;

const standing = fc.record({
  reason: fc.constant('refused'),
  tries: fc.nat(3),
  retryAt: fc.constantFrom(0, NOW, NOW + 1, Number.POSITIVE_INFINITY),
  isAlone: fc.boolean(),
});
const situation = fc.array(fc.option(standing, { nil: undefined }), { maxLength: 2 * MAX_BUNDLE + 20 });

const planned = (standings: readonly (Standing | undefined)[]) => {
  const open = standings.map((_, number) => withdrawal(number));
  const known = new Map(standings.flatMap((each, number) => (each === undefined ? [] : [[number, each] as const])));
  return nextBundle(open, known, NOW).map(({ number }) => number);
};

test('a bundle has withdrawals that are due, in their order, within its bound', () => {
  fc.assert(
    fc.property(situation, (standings) => {
      const bundle = planned(standings);
      expect(bundle.length).toBeLessThanOrEqual(MAX_BUNDLE);
      expect(bundle).toEqual([...new Set(bundle)].sort((a, b) => a - b));
      for (const number of bundle) expect(standings[number]?.retryAt ?? 0).toBeLessThanOrEqual(NOW);
    }),
  );
});

test('one that made a transaction fail is in a bundle by itself', () => {
  fc.assert(
    fc.property(situation, (standings) => {
      const bundle = planned(standings);
      if (bundle.some((number) => standings[number]?.isAlone === true)) expect(bundle).toHaveLength(1);
    }),
  );
});

test('what is held keeps up no other: a bundle is empty only where nothing is due', () => {
  fc.assert(
    fc.property(situation, (standings) => {
      const isDue = standings.some((each) => each === undefined || each.retryAt <= NOW);
      expect(planned(standings).length > 0).toBe(isDue);
    }),
  );
});

test('no more is signed for than the account holds, and nothing is left out that it could pay besides', () => {
  const amounts = fc.array(fc.bigInt(1n, 20n), { maxLength: 12 });
  fc.assert(
    fc.property(amounts, fc.bigInt(-5n, 100n), (all, balance) => {
      const due = all.map((amount, number) => ({ ...withdrawal(number), amount }));
      const chosen = affordable(due, balance);
      const sum = chosen.reduce((total, { amount }) => total + amount, 0n);
      expect(sum === 0n || sum <= balance).toBe(true);
      expect(chosen.map(({ number }) => number)).toEqual(chosen.map(({ number }) => number).sort((a, b) => a - b));
      for (const each of due) if (!chosen.includes(each)) expect(each.amount).toBeGreaterThan(balance - sum);
    }),
  );
});

const amount = fc.bigInt(0n, 1n << 90n);
/** Sums of chains on which nothing was lost: the account may have what it was given beside deposits. */
const chains = fc.record({
  before: amount,
  between: amount,
  unseen: amount,
  gifts: amount,
  uncredited: amount,
  withdrawn: amount,
  paid: amount,
});

const sheetOf = (
  facts: Record<'before' | 'between' | 'unseen' | 'gifts' | 'uncredited' | 'withdrawn' | 'paid', bigint>,
) => {
  const least = (a: bigint, b: bigint) => (a < b ? a : b);
  const uncredited = least(facts.uncredited, facts.before);
  const withdrawn = least(facts.withdrawn, facts.before - uncredited);
  const paid = least(facts.paid, withdrawn);
  // Some of the deposits between both readings of the rollup were made before the account was read.
  const seen = least(facts.unseen, facts.between);
  const locked = facts.before + seen + facts.gifts - paid;
  const input = { locked, height: 1n, paid, uncredited, withdrawn };
  return {
    ...input,
    sheet: balanceSheet({ ...input, depositedBefore: facts.before, depositedAfter: facts.before + facts.between }),
  };
};

test('a sheet is balanced where nothing was lost, and adds up within the deposits on their way', () => {
  fc.assert(
    fc.property(chains, (facts) => {
      const { sheet, withdrawn, paid, locked } = sheetOf(facts);
      expect(sheet.isBalanced).toBe(true);
      expect(sheet.surplus).toBeGreaterThanOrEqual(0n);
      expect(sheet.surplus).toBeLessThanOrEqual(facts.gifts);
      expect(sheet.unpaid).toBe(withdrawn - paid);
      const least = sheet.minted + sheet.unpaid + sheet.uncredited + sheet.surplus;
      expect(locked).toBeGreaterThanOrEqual(least);
      expect(locked).toBeLessThanOrEqual(least + sheet.arriving);
    }),
  );
});

test('a sheet is not balanced where the account lacks a single unit, whatever arrives', () => {
  fc.assert(
    fc.property(chains, (facts) => {
      const { locked, height, paid, uncredited, withdrawn } = sheetOf({ ...facts, gifts: 0n, unseen: 0n });
      fc.pre(locked > 0n);
      const sums = { depositedBefore: facts.before, depositedAfter: facts.before + facts.between };
      const sheet = balanceSheet({ locked: locked - 1n, height, paid, uncredited, withdrawn, ...sums });
      expect(sheet).toMatchObject({ isBalanced: false, surplus: -1n });
    }),
  );
});

test('withdrawals beyond all deposits are not owed, and are no part of the balance', () => {
  const input = { height: 1n, paid: 0n, depositedBefore: 3n, depositedAfter: 3n, uncredited: 0n };
  expect(balanceSheet({ ...input, locked: 10n, withdrawn: 12n })).toMatchObject({
    ...{ minted: 0n, unpaid: 3n, uncovered: 9n, surplus: 7n, isBalanced: true },
  });
  expect(balanceSheet({ ...input, locked: 2n, withdrawn: 12n })).toMatchObject({ surplus: -1n, isBalanced: false });
});
