import { quantity } from '@switchyard/protocol/ethereum';
import { JsonRpcError } from '@switchyard/service';
import type { ChainReader } from '../chain/chain.ts';
import { serverError } from '../json/errors.ts';
import { callRequestJson } from '../simulate/call-request.ts';
import type { CallBlock, CallOutcome, CallRequest, Simulator } from '../simulate/simulator.ts';
import type { Geth } from './geth.ts';
import { nextBlock } from './methods.ts';
import { data, quantity as number, readResponse } from './response.ts';

export interface GethSimulatorDeps {
  readonly queries: Geth;
  readonly chain: Pick<ChainReader, 'heads' | 'header'>;
  readonly timeoutMs: number;
}

/** Has the execution client run calls, for the methods of ours that need one. */
export function gethSimulator({ queries, chain, timeoutMs }: GethSimulatorDeps): Simulator {
  const ask = (method: string, request: CallRequest, block: CallBlock, ...more: readonly unknown[]) => {
    const number = block === 'pending' ? chain.heads.latest : block;
    return queries.call(method, [callRequestJson(request), quantity(number), ...more], { timeoutMs });
  };

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
      const next = block === 'pending' ? [null, nextBlock(chain)] : [];
      return readResponse(await ask('eth_estimateGas', request, block, ...next), 'eth_estimateGas', number);
    },
  };
}

/** Code of a call that reverted, with its output as data. */
const REVERTED = 3;

/** Calls with overrides are passed on as they came. */
function refuseOverrides(overrides: object | undefined): void {
  if (overrides !== undefined && Object.values(overrides).some((each) => each !== undefined))
    throw serverError('overrides are not supported here');
}
