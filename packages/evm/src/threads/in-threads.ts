import type { JsonRpcMethod, Requester, RpcContext } from '@switchyard/service/json-rpc';
import type { RpcMethods } from '../rpc/deps.ts';
import type { CallThreads } from './call-threads.ts';

/** Methods that run code and take nothing but the chain. */
export const MOVABLE =
  /^(eth_(call|estimateGas|createAccessList|simulateV1)|debug_trace\w+|debug_storageRangeAt|trace_\w+|ots_traceTransaction|ots_getTransactionError)$/;

/** Turns of `TURN_MS` each: a call that ends within them costs less than a thread. */
const TURNS_HERE = 3;

/** Ends a call here that continues elsewhere. */
class TakesLong extends Error {
  override readonly name = 'TakesLong';
}

/**
 * Has calls that take more than a few turns of the event loop begin again in a thread: most are over before, and the
 * thread that answers everything else is free of the others.
 */
export function longInThreads(methods: RpcMethods, threads: CallThreads): RpcMethods {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      MOVABLE.test(name) ? movable(name, method, threads) : method,
    ]),
  );
}

function movable(name: string, method: JsonRpcMethod, threads: CallThreads): JsonRpcMethod {
  return async (params, context, id) => {
    let turns = 0;
    const turn = async (): Promise<void> => {
      turns += 1;
      if (turns > TURNS_HERE) throw new TakesLong();
      await context.from.turn();
    };
    try {
      return await method(params, withTurn(context, turn), id);
    } catch (error) {
      if (!(error instanceof TakesLong)) throw error;
      return threads.answer(name, params);
    }
  };
}

function withTurn(context: RpcContext, turn: () => Promise<void>): RpcContext {
  const { from, subscriber } = context;
  const requester: Requester = {
    peer: from.peer,
    page: from.page,
    turn,
    isGone: () => from.isGone(),
    cutOff: () => from.cutOff(),
  };
  return {
    from: requester,
    subscriber,
    isOver: () => context.isOver(),
    afterAnswer: (work) => context.afterAnswer(work),
  };
}
