import { action, credit, Rejected, u64 } from '@switchyard/rollup';
import { APPLES, book, MONEY, places, rankOf } from '../state.ts';

export const cancel = action({
  help: 'takes an order back, and what it holds',
  fields: { order: u64 },
  execute({ order: number }, { state, signer }) {
    const place = places.get(state, number);
    if (place === undefined) throw new Rejected('not-found', { field: 'order', got: number });
    const { isBid, price } = place;
    const key = [isBid, rankOf(isBid, price), number] as const;
    const order = book.get(state, key);
    if (order?.owner !== signer) throw new Rejected('unauthorized', { action: 'cancel' });
    book.delete(state, key);
    places.delete(state, number);
    if (isBid) credit(state, signer, MONEY, order.left * BigInt(price));
    else credit(state, signer, APPLES, order.left);
  },
});
