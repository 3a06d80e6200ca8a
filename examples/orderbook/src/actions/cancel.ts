import { action, credit, Rejected, u64 } from '@switchyard/rollup/define';
import { remove } from '../book.ts';
import { APPLES, MONEY, orders } from '../state.ts';

export const cancel = action({
  help: 'takes an order back, and what it holds',
  fields: { order: u64 },
  execute({ order: number }, { state, signer }) {
    const order = orders.get(state, number);
    if (order === undefined) throw new Rejected('not-found', { field: 'order', got: number });
    if (order.owner !== signer) throw new Rejected('unauthorized', { action: 'cancel' });
    remove(state, number, order);
    if (order.isBid) credit(state, signer, MONEY, order.left * BigInt(order.price));
    else credit(state, signer, APPLES, order.left);
  },
});
