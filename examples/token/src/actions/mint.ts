import { action, address, credit, Rejected, u128 } from '@switchyard/rollup';
import { COIN, owner, supply } from '../state.ts';

export const mint = action({
  help: 'makes units of the coin; only the owner may',
  fields: { to: address, amount: u128 },
  execute({ to, amount }, { state, signer }) {
    if (signer !== owner.get(state)) throw new Rejected('unauthorized', { action: 'mint' });
    const made = supply.get(state) + amount;
    if (made >= 1n << 128n) throw new Rejected('overflow', { field: 'supply' });
    supply.put(state, made);
    credit(state, to, COIN, amount);
  },
});
