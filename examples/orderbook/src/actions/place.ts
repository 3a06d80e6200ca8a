import { action, bool, debit, Rejected, u32, u64 } from '@switchyard/rollup';
import { enqueue, match } from '../book.ts';
import { APPLES, HIGHEST_PRICE, MONEY } from '../state.ts';

export const place = action({
  help: 'a limit order: what cannot be traded at once waits',
  fields: { isBid: bool, price: u32, amount: u64 },
  check({ price, amount }) {
    if (price === 0 || price > HIGHEST_PRICE)
      throw new Rejected('malformed', { field: 'price', expected: `1 to ${HIGHEST_PRICE}`, got: price });
    if (amount === 0n) throw new Rejected('empty', { field: 'amount' });
  },
  spends: (order) => [costOf(order)],
  execute({ isBid, price, amount }, context) {
    const { state, signer } = context;
    const cost = costOf({ isBid, price, amount });
    debit(state, signer, cost.asset, cost.amount);
    const wanted = { owner: signer, isBid, price };
    const left = match(context, wanted, amount);
    if (left > 0n) enqueue(state, wanted, left);
  },
});

/** Amounts that the order holds until it is traded or cancelled. */
function costOf({
  isBid,
  price,
  amount,
}: {
  readonly isBid: boolean;
  readonly price: number;
  readonly amount: bigint;
}) {
  return isBid ? { asset: MONEY, amount: amount * BigInt(price) } : { asset: APPLES, amount };
}
