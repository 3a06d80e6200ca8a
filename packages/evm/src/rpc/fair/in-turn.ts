import type { JsonRpcMethod } from '@switchyard/service/json-rpc';
import type { RpcMethods } from '../deps.ts';
import { limitExceeded, TIMED_OUT } from '../errors.ts';
import { FairWork, type WorkBounds } from './fair-work.ts';

/** Methods that run code, replay blocks, or read as much of the chain as they are asked to. */
const LONG =
  /^(eth_(call|estimateGas|createAccessList|simulateV1|fillTransaction|getLogs|getFilterLogs|getProof|feeHistory)$|debug_trace|debug_storageRangeAt$|trace_|ots_)/;

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

function inTurn(method: JsonRpcMethod, work: FairWork, bounds: WorkBounds): JsonRpcMethod {
  return (params, context, id) => {
    const { peer } = context.from;
    const full = work.fullFor(peer);
    if (full === 'client')
      throw limitExceeded(
        `${bounds.maxWaitingOfClient} calls of ${peer} are waiting already: wait for answers before you ask for more`,
      );
    if (full === 'all')
      throw limitExceeded(
        `${work.counts.running} calls are running and ${work.counts.waiting} are waiting: try again later`,
      );
    return work.run(peer, () => {
      if (context.isOver()) throw TIMED_OUT;
      return method(params, context, id);
    });
  };
}
