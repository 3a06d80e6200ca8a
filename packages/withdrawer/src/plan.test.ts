import fc from 'fast-check';
import { expect, test } from 'vitest';
import { balanceSheet, choose, getShare, MAX_BUNDLE, nextDue, type Terms } from './plan.ts';
import type { Standing, Withdrawal } from './withdrawal.ts';

const withdrawal = (number: number): Withdrawal => ({
  ...{ number, eventId: `e${number}`, block: 1n, sender: `account ${number % 3}`, to: 'bob', amount: 1n, memo: '' },
});
const NOW = 1_000;

interface Tried {
  readonly kind: Standing['kind'] | undefined;
  readonly group: string;
  readonly dueAt: number;
}
const tried: fc.Arbitrary<Tried> = fc.record({
  kind: fc.constantFrom(undefined, 'small', 'unfunded', 'suspect', 'refused'),
  group: fc.constantFrom('a', 'b'),
  dueAt: fc.constantFrom(0, 1, NOW, NOW + 1, Number.POSITIVE_INFINITY),
});
const situation = fc.array(tried, { maxLength: 60 });
const isSuspect = (each: Tried | undefined) => each?.kind === 'suspect' || each?.kind === 'refused';

const planned = (all: readonly Tried[], isForSuspects: boolean) => {
  const open = new Map(all.map((_, number) => [number, withdrawal(number)]));
  const standings = new Map<number, Standing>();
  for (const [number, { kind, group }] of all.entries()) {
    if (kind === undefined) continue;
    standings.set(number, { kind, reason: 'r', tries: 0, ...(kind === 'suspect' && { group }) });
  }
  const due = nextDue({ open, standings }, (number) => all[number]?.dueAt ?? 0, NOW, isForSuspects);
  return due.map(({ number }) => number);
};

test('both kinds have their turns, and nothing that is due is left out for long', () => {
  fc.assert(
    fc.property(situation, (all) => {
      const [fresh, suspects] = [planned(all, false), planned(all, true)];
      const due = [...all.keys()].filter((number) => (all[number]?.dueAt ?? 0) <= NOW);
      const expected = due.filter((number) => !isSuspect(all[number]));
      if (expected.length > 0) expect([...fresh].sort((a, b) => a - b)).toEqual(expected);
      const others = due.filter((number) => isSuspect(all[number]));
      if (others.length === 0) {
        expect(suspects).toEqual(fresh);
        return;
      }
      const longest = Math.min(...others.map((number) => all[number]?.dueAt ?? 0));
      expect(suspects.some((number) => all[number]?.dueAt === longest)).toBe(true);
      const [first] = suspects.map((number) => all[number]);
      // A group is tried whole, and members refused alone are tried alone.
      const members = others.filter((number) => all[number]?.kind === 'suspect' && all[number].group === first?.group);
      expect(suspects).toHaveLength(first?.kind === 'suspect' ? members.length : 1);
    }),
  );
});

test('an account with many withdrawals has no more turns than one with a single one', () => {
  const all = Array.from({ length: 9 }, (): Tried => ({ kind: undefined, group: '', dueAt: 0 }));
  // Numbers of one account are equal modulo 3.
  const held = all.map((each, number) => (number % 3 === 1 && number > 1 ? { ...each, dueAt: NOW + 1 } : each));
  expect(planned(held, false)).toEqual([0, 1, 2, 3, 5, 6, 8]);
});

test('no more is signed for than the account holds and is worth its payment, and nothing is left out besides', () => {
  const amounts = fc.array(fc.bigInt(1n, 20n), { maxLength: 12 });
  const terms = fc.record({
    ...{ fee: fc.bigInt(0n, 4n), isRefunded: fc.boolean(), locked: fc.bigInt(0n, 100n) },
    most: fc.constantFrom(1, 5, Number.POSITIVE_INFINITY),
  });
  fc.assert(
    fc.property(amounts, terms, (all, at: Terms) => {
      const due = all.map((amount, number) => ({ ...withdrawal(number), amount }));
      const { payable, small, beyond } = choose(due, at);
      const sum = payable.reduce((total, { amount }) => total + amount, 0n);
      expect(sum).toBeLessThanOrEqual(at.locked);
      expect(payable.length).toBeLessThanOrEqual(Math.min(at.most, MAX_BUNDLE));
      expect(payable.map(({ number }) => number)).toEqual(payable.map(({ number }) => number).sort((a, b) => a - b));
      const [alone, share] = [getShare(at, 1), getShare(at, Math.max(payable.length, 1))];
      expect(share).toBeLessThanOrEqual(alone);
      for (const { amount } of small) expect(amount).toBeLessThanOrEqual(alone);
      for (const { amount } of payable) expect(amount).toBeGreaterThan(share);
      if (payable.length < at.most) for (const { amount } of beyond) expect(amount).toBeGreaterThan(at.locked - sum);
      if (payable.length < at.most) expect(payable.length + small.length + beyond.length).toBe(all.length);
      // Fees are covered: those of the payments, and that of the refund.
      const fees = at.fee * BigInt(payable.length + (at.isRefunded ? 1 : 0));
      if (payable.length > 0) expect(share * BigInt(payable.length)).toBeGreaterThanOrEqual(fees);
    }),
  );
});

const amount = fc.bigInt(0n, 1n << 90n);
/** Sums of chains on which nothing was lost: the account may have what it was given alongside deposits. */
const chains = fc.record({
  before: amount,
  between: amount,
  unseen: amount,
  gifts: amount,
  uncredited: amount,
  withdrawn: amount,
  paid: amount,
});

const makeSheet = (
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
      const { sheet, withdrawn, paid, locked } = makeSheet(facts);
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
      const { locked, height, paid, uncredited, withdrawn } = makeSheet({ ...facts, gifts: 0n, unseen: 0n });
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
