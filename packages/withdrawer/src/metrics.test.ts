import { createMetrics } from '@switchyard/service';
import { expect, test } from 'vitest';
import { observe } from './metrics.ts';
import type { Withdrawal } from './withdrawal.ts';

const withdrawal = (number: number): Withdrawal => ({
  ...{ number, eventId: `e${number}`, block: 1n, sender: 'alice', to: 'bob', amount: 1n, memo: '' },
});

test('counts withdrawals, with the age of the oldest one that waits for its turn', async () => {
  const metrics = createMetrics('w_');
  const open = new Map<number, Withdrawal>([[0, withdrawal(0)]]);
  let [held, longestWaitMs] = [0, 0];
  let isBalanced = true;
  const withdrawer = {
    get held() {
      return held;
    },
    get longestWaitMs() {
      return longestWaitMs;
    },
    get sheet() {
      const amounts = {
        locked: 9n,
        minted: 9n,
        unpaid: 0n,
        uncovered: 0n,
        arriving: 0n,
        uncredited: 0n,
        surplus: isBalanced ? 4n : -4n,
      };
      return { height: 1n, ...amounts, isBalanced };
    },
  };
  observe(metrics, { open, paid: { count: 7, sum: 9n } }, withdrawer);
  const shown = async () =>
    Object.fromEntries(
      [...(await metrics.text()).matchAll(/^w_(\w+) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
    );
  expect(await shown()).toMatchObject({
    ...{ open_withdrawals: 1, held_withdrawals: 0, paid_withdrawals: 7, oldest_open_seconds: 0 },
    ...{ surplus: 4, balanced: 1 },
  });
  longestWaitMs = 30_000;
  open.set(1, withdrawal(1));
  expect(await shown()).toMatchObject({ open_withdrawals: 2, oldest_open_seconds: 30 });
  [held, longestWaitMs, isBalanced] = [1, 5_000, false];
  expect(await shown()).toMatchObject({ held_withdrawals: 1, oldest_open_seconds: 5, surplus: -4, balanced: 0 });
});
