import { action, asset, Rejected, schedule, u64 } from '@switchyard/rollup';
import { type Context, LONGEST_WAIT, MOST_OPEN, nameTaken, opened } from '../rules.ts';
import { markets, name, names, oracles } from '../state.ts';
import { close, lapse } from './deadlines.ts';

export const open = action({
  help: 'opens trading up to a block; its signer answers before the other block',
  fields: { name, collateral: asset, closes: u64, lapses: u64 },
  check({ name: asked, closes, lapses }) {
    if (asked.trim() === '') throw new Rejected('empty', { field: 'name' });
    if (lapses <= closes || lapses - closes > LONGEST_WAIT)
      throw new Rejected('malformed', { field: 'lapses', expected: `1 to ${LONGEST_WAIT} blocks later`, got: lapses });
  },
  execute({ name: asked, collateral, closes, lapses }, context: Context) {
    const { state, signer, genesis } = context;
    const oracle = oracles.get(state, signer);
    if (!oracle.isActive) throw new Rejected('unauthorized', { action: 'open' });
    if (oracle.open >= MOST_OPEN) throw new Rejected('limit-reached', { field: 'open', limit: MOST_OPEN });
    if (!genesis.collaterals.includes(collateral)) throw new Rejected('wrong-asset', { asset: collateral });
    const taken = names.get(state, asked);
    if (taken !== undefined) throw nameTaken({ id: taken });
    const id = (markets.last(state)?.[0] ?? 0) + 1;
    markets.put(state, id, { name: asked, collateral, oracle: signer, closes, lapses, status: 'open' });
    names.put(state, asked, id);
    oracles.put(state, signer, { ...oracle, open: oracle.open + 1 });
    // Blocks that are over are refused here.
    schedule(context, { block: closes }, close, { id });
    schedule(context, { block: lapses }, lapse, { id });
    opened.emit(context, { id, by: signer, closes });
  },
});
