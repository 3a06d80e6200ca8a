import { quantity } from '@switchyard/protocol/ethereum';
import type { JsonRpcMethod } from '@switchyard/service/json-rpc';
import type { RpcMethods } from '../rpc/deps.ts';
import { getMarks, wrapped } from '../rpc/marks.ts';
import { callRequestJson } from '../simulate/call-request.ts';
import type { Simulator } from '../simulate/simulator.ts';
import { TakesLong } from '../simulate/time-budget.ts';
import type { CallThreads } from './call-threads.ts';

/** Milliseconds that a call may hold up the thread that answers everything else: most are over before. */
export const HERE_MS = 5;

/** Has calls that throw `TakesLong` begin again in a thread. */
export function longInThreads(methods: RpcMethods, threads: CallThreads): RpcMethods {
  return wrapped(methods, (name, method) =>
    getMarks(method).mayMove === true ? movable(name, method, threads) : method,
  );
}

function movable(name: string, method: JsonRpcMethod, threads: CallThreads): JsonRpcMethod {
  const moved = (error: unknown, params: unknown, context: Parameters<JsonRpcMethod>[1]) => {
    if (!(error instanceof TakesLong)) throw error;
    const { method: instead = name, params: others = params } = error.instead ?? {};
    return threads.answer(instead, others, context);
  };
  return (params, context, id) => {
    try {
      const result = method(params, context, id);
      return result instanceof Promise ? result.catch((error: unknown) => moved(error, params, context)) : result;
    } catch (error) {
      return moved(error, params, context);
    }
  };
}

/** Estimates for methods that cannot move, as they take more than the chain. */
export function estimatorIn(threads: CallThreads, simulator: Simulator): Pick<Simulator, 'estimateGas'> {
  return {
    async estimateGas(request, block) {
      try {
        return await simulator.estimateGas(request, block);
      } catch (error) {
        if (!(error instanceof TakesLong)) throw error;
        const at = typeof block === 'bigint' ? quantity(block) : block;
        const { pieces } = await threads.answer('eth_estimateGas', [callRequestJson(request), at]);
        return BigInt(JSON.parse(Buffer.concat(pieces).toString()));
      }
    },
  };
}
