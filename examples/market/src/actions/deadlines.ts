import { action, Rejected, u32 } from '@switchyard/rollup';
import { tooEarly } from '../rules.ts';
import { settle } from '../settle.ts';
import { isSettled, marketOf, markets } from '../state.ts';

/* Both are scheduled when a market is opened. Anybody may do them too, so that nothing depends on the schedule. */

export const close = action({
  help: 'ends trading, from its last block on',
  fields: { id: u32 },
  execute({ id }, { state, height }) {
    const found = marketOf(state, id);
    if (height < found.closes) throw tooEarly({ id, block: found.closes });
    if (found.status === 'open') markets.put(state, id, { ...found, status: 'closed' });
  },
});

export const lapse = action({
  help: 'settles without an answer of the oracle, from the block that it had on',
  fields: { id: u32 },
  execute({ id }, context) {
    const found = marketOf(context.state, id);
    if (isSettled(found)) throw new Rejected('already-present', { field: 'status', got: found.status });
    if (context.height < found.lapses) throw tooEarly({ id, block: found.lapses });
    settle(context, id, found, 'void');
  },
});
