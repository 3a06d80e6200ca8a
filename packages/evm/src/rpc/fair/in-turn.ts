import type { JsonRpcMethod } from '@switchyard/service';
import type { RpcContext, RpcMethods } from '../deps.ts';
import { limitExceeded } from '../errors.ts';
import { FairWork, type WorkBounds } from './fair-work.ts';

/** Methods that run code, replay blocks, or read as much of the chain as they are asked to. */
const LONG =
  /^(eth_(call|estimateGas|createAccessList|simulateV1|fillTransaction|getLogs|getFilterLogs|getProof|feeHistory)$|debug_trace|trace_|ots_)/;

export const CALLS: WorkBounds = { atATime: 8, atATimeOfClient: 2, maxWaiting: 256, maxWaitingOfClient: 128 };

/**
 * Has long methods wait for their turn among the clients; the others are answered at once. A call that finds
 * the queue full is rejected before its parameters are looked at.
 */
export function longInTurn(methods: RpcMethods, bounds = CALLS): RpcMethods {
  const work = new FairWork(bounds);
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [name, LONG.test(name) ? inTurn(method, work, bounds) : method]),
  );
}

function inTurn(method: JsonRpcMethod<RpcContext>, work: FairWork, bounds: WorkBounds): JsonRpcMethod<RpcContext> {
  return (params, context) => {
    const full = work.fullFor(context.client);
    if (full === 'client')
      throw limitExceeded(
        `${bounds.maxWaitingOfClient} calls of ${context.client} are waiting already: wait for answers before you ask for more`,
      );
    if (full === 'all')
      throw limitExceeded(
        `${work.counts.running} calls are running and ${work.counts.waiting} are waiting: try again later`,
      );
    return work.run(context.client, () => method(params, context));
  };
}
