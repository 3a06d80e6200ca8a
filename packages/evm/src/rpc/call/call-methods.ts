import { accessListOf } from '../../simulate/access-list.ts';
import { simulateBlocks } from '../../simulate/simulate-blocks.ts';
import type { RpcMethods } from '../deps.ts';
import { executionReverted, serverError } from '../errors.ts';
import { quantity } from '../hex.ts';
import { type BlockParameter, blockReference, readParams } from '../params.ts';
import { stateBlock } from '../resolve.ts';
import { termsOf } from '../terms.ts';
import type { CallDeps } from './deps.ts';
import { fillTransaction } from './fill.ts';
import { blockOverrides, callRequest, checkChain, stateOverrides } from './request.ts';
import { simulatePayload } from './simulate-request.ts';

/** Methods that run something and leave nothing behind. */
export function callMethods(deps: CallDeps): RpcMethods {
  const { chain, simulator } = deps;
  const at = (block: BlockParameter) => stateBlock(chain, block);
  return {
    async eth_call(params, { from }) {
      const [request, block = 'latest', state, header] = readParams(
        params,
        [callRequest],
        [blockReference, stateOverrides, blockOverrides],
      );
      checkChain(request, chain.chainId);
      const { output, failure } = await simulator.call(request, at(block), { state, block: header }, termsOf(from));
      if (failure === undefined) return output;
      if (failure.kind === 'revert') throw executionReverted(output);
      throw serverError(failure.message);
    },

    async eth_estimateGas(params, { from }) {
      const [request, block = 'latest', state, header] = readParams(
        params,
        [callRequest],
        [blockReference, stateOverrides, blockOverrides],
      );
      checkChain(request, chain.chainId);
      return quantity(await simulator.estimateGas(request, at(block), { state, block: header }, termsOf(from)));
    },

    async eth_createAccessList(params, { from }) {
      const [request, block = 'latest', state] = readParams(params, [callRequest], [blockReference, stateOverrides]);
      checkChain(request, chain.chainId);
      const { accessList, gasUsed, failure } = await accessListOf(
        simulator,
        request,
        at(block),
        { state },
        termsOf(from),
      );
      return { accessList, ...(failure === undefined ? {} : { error: failure }), gasUsed: quantity(gasUsed) };
    },

    async eth_simulateV1(params, { from }) {
      const [payload, block = 'latest'] = readParams(params, [simulatePayload], [blockReference]);
      const number = at(block);
      return simulateBlocks(simulator, payload, number === 'pending' ? chain.heads.latest : number, termsOf(from));
    },

    async eth_fillTransaction(params, { from }) {
      const [request] = readParams(params, [callRequest]);
      checkChain(request, chain.chainId);
      return fillTransaction(deps, request, termsOf(from));
    },
  };
}
