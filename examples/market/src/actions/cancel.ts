import { action, credit, Rejected, u64 } from '@switchyard/rollup';
import { book, marketOf, places, rankOf } from '../state.ts';

export const cancel = action({
  help: 'takes an order back, and what it holds, also behind the end of trading',
  fields: { order: u64 },
  execute({ order: number }, { state, signer }) {
    const place = places.get(state, number);
    if (place === undefined) throw new Rejected('not-found', { field: 'order', got: number });
    const { id, outcome, price } = place;
    const key = [id, outcome, rankOf(price), number] as const;
    const order = book.get(state, key);
    if (order?.owner !== signer) throw new Rejected('unauthorized', { action: 'cancel' });
    book.delete(state, key);
    places.delete(state, number);
    credit(state, signer, marketOf(state, id).collateral, order.left * BigInt(price));
  },
});
