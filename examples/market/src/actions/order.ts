import { action, credit, debit, Rejected, u32, u64 } from '@switchyard/rollup';
import { enqueue, match } from '../book.ts';
import { notOpen, outcome, PAYOUT, SMALLEST, tooSmall } from '../rules.ts';
import { addShares, marketOf } from '../state.ts';

export const order = action({
  help: 'buys shares of an outcome at a price or a better one: what cannot be traded at once waits',
  fields: { id: u32, outcome, price: u32, shares: u64 },
  check({ price, shares }) {
    if (price < 1 || price >= PAYOUT)
      throw new Rejected('malformed', { field: 'price', expected: `1 to ${PAYOUT - 1}`, got: price });
    if (shares < SMALLEST) throw tooSmall({ smallest: SMALLEST });
  },
  execute({ id, outcome: wanted, price, shares }, context) {
    const { state, signer, height } = context;
    const { collateral, closes, status } = marketOf(state, id);
    // The block counts: closing is scheduled, and may come later where much is.
    if (status !== 'open' || height >= closes) throw notOpen({ id, status: status === 'open' ? 'closed' : status });
    debit(state, signer, collateral, shares * BigInt(price));
    const { left, saved, isCut } = match(context, { id, outcome: wanted, price }, shares);
    if (left < shares) addShares(state, signer, id, wanted, shares - left);
    // A rest that is too small to wait, or that still crosses the book, goes back.
    const waits = left >= SMALLEST && !isCut;
    const back = saved + (waits ? 0n : left * BigInt(price));
    if (back > 0n) credit(state, signer, collateral, back);
    if (waits) enqueue(state, { id, outcome: wanted, price }, signer, left);
  },
});
