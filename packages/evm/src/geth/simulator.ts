import { JsonRpcError } from '@switchyard/service';
import { callRequestJson } from '../rpc/call/request.ts';
import { serverError } from '../rpc/errors.ts';
import { quantity } from '../rpc/hex.ts';
import type { CallBlock, CallOutcome, CallRequest, Simulator } from '../simulate/simulator.ts';
import type { Geth } from './geth.ts';
import { data, quantity as number, readResponse } from './response.ts';

export interface GethSimulatorDeps {
  readonly queries: Geth;
  readonly latest: () => bigint;
  readonly timeoutMs: number;
}

/** Has the execution client run calls, for the methods of ours that need one. */
export function gethSimulator({ queries, latest, timeoutMs }: GethSimulatorDeps): Simulator {
  const ask = (method: string, request: CallRequest, block: CallBlock) =>
    queries.call(method, [callRequestJson(request), quantity(block === 'pending' ? latest() : block)], { timeoutMs });

  return {
    async call(request, block, overrides): Promise<CallOutcome> {
      refuseOverrides(overrides);
      try {
        const output = readResponse(await ask('eth_call', request, block), 'eth_call', data);
        return { gasUsed: 0n, output, logs: [], failure: undefined };
      } catch (error) {
        if (!(error instanceof JsonRpcError) || error.code !== REVERTED) throw error;
        const output = readResponse(error.data ?? '0x', 'eth_call: data of the error', data);
        return { gasUsed: 0n, output, logs: [], failure: { kind: 'revert', message: error.rpcMessage } };
      }
    },
    async estimateGas(request, block, overrides): Promise<bigint> {
      refuseOverrides(overrides);
      return readResponse(await ask('eth_estimateGas', request, block), 'eth_estimateGas', number);
    },
  };
}

/** Code of a call that reverted, with what it returned as data. */
const REVERTED = 3;

/** Calls with overrides are passed on as they came. */
function refuseOverrides(overrides: object | undefined): void {
  if (overrides !== undefined && Object.values(overrides).some((each) => each !== undefined))
    throw serverError('overrides are not supported here');
}
