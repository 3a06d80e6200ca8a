import { withdrawalBlock } from '../tables/bridge.ts';
import { addressParameter, QueryProblem, type QueryRoute } from './route.ts';

const MAX_EVENT_ID_BYTES = 256;

/**
 * Whether a bridge account has paid a withdrawal event: the rollup block that the payment named in decimal digits, or
 * nothing. The data of the query is the event id. Our own; the reference has no such query.
 */
export const bridgeWithdrawalEventQuery: QueryRoute = {
  path: 'bridge/withdrawal_event/{address}',

  answer({ snapshot, parameter, data }) {
    const bridge = addressParameter(parameter);
    if (data.length === 0 || data.length > MAX_EVENT_ID_BYTES) {
      const expected = `an event id of 1 to ${MAX_EVENT_ID_BYTES} bytes as data`;
      throw new QueryProblem('invalidParameter', `expected ${expected}, got ${data.length} bytes`);
    }
    const block = withdrawalBlock(snapshot, bridge, new TextDecoder().decode(data));
    return new TextEncoder().encode(block === undefined ? '' : String(block));
  },
};
