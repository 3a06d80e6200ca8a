import type { Activity } from '@switchyard/network/simulate';
import { inOneBlock, sendBundles } from './bundles.ts';
import { makeClaims, paidOnce } from './claims.ts';
import type { House } from './house.ts';
import { makeWithdrawals, withdrawnOnce } from './withdrawals.ts';

/** Claims of test funds, withdrawals and atomic bundles. */
export const getUsers =
  (house: House): Activity =>
  async (facts) => {
    const begun = [makeClaims(house, facts), makeWithdrawals(house, facts), sendBundles(facts)] as const;
    const [accepted, , sent] = await Promise.all(begun);
    return async () => {
      await inOneBlock(facts, sent);
      return {
        claims: await paidOnce(house, facts, accepted),
        withdrawals: await withdrawnOnce(house, facts),
        bundles: sent.length,
      };
    };
  };
