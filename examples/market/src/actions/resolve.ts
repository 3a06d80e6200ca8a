import { action, Rejected, u32 } from '@switchyard/rollup';
import { outcome, tooEarly } from '../rules.ts';
import { settle } from '../settle.ts';
import { isSettled, marketOf } from '../state.ts';

export const resolve = action({
  help: 'answers as the oracle, behind the end of trading',
  fields: { id: u32, outcome },
  execute({ id, outcome: answer }, context) {
    const found = marketOf(context.state, id);
    if (found.oracle !== context.signer) throw new Rejected('unauthorized', { action: 'resolve' });
    if (isSettled(found)) throw new Rejected('already-present', { field: 'status', got: found.status });
    if (context.height < found.closes) throw tooEarly({ id, block: found.closes });
    if (context.height >= found.lapses) throw new Rejected('expired', { field: 'lapses', got: found.lapses });
    settle(context, id, found, answer);
  },
});
