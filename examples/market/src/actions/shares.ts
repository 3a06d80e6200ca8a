import { action, credit, Rejected, u32, u64 } from '@switchyard/rollup';
import { notOpen, PAYOUT, paid } from '../rules.ts';
import { payoutOf } from '../settle.ts';
import { isSettled, marketOf, positions, takeShares } from '../state.ts';

export const redeem = action({
  help: 'gives shares of both outcomes for their payout, before the answer',
  fields: { id: u32, pairs: u64 },
  check({ pairs }) {
    if (pairs === 0n) throw new Rejected('empty', { field: 'pairs' });
  },
  execute({ id, pairs }, { state, signer }) {
    const found = marketOf(state, id);
    if (isSettled(found)) throw notOpen({ id, status: found.status });
    for (const outcome of ['yes', 'no'] as const) takeShares(state, signer, id, outcome, pairs);
    credit(state, signer, found.collateral, pairs * BigInt(PAYOUT));
  },
});

export const claim = action({
  help: 'pays the shares of the signer, once there is an answer',
  fields: { id: u32 },
  execute({ id }, context) {
    const { state, signer } = context;
    const found = marketOf(state, id);
    let amount = 0n;
    let shares = 0n;
    for (const outcome of ['yes', 'no'] as const) {
      const payout = payoutOf(found, outcome);
      if (payout === undefined) throw new Rejected('not-present', { field: 'answer', got: found.status });
      const held = positions.get(state, [signer, id, outcome]);
      shares += held;
      amount += held * payout;
      positions.delete(state, [signer, id, outcome]);
    }
    if (shares === 0n) throw new Rejected('empty', { field: 'shares' });
    if (amount > 0n) credit(state, signer, found.collateral, amount);
    paid.emit(context, { id, to: signer, amount });
  },
});
