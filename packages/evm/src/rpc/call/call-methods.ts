import { quantity } from '@switchyard/protocol/ethereum';
import { executionReverted, serverError } from '../../json/errors.ts';
import { type BlockParameter, blockReference, readParams } from '../../json/params.ts';
import { stateBlock } from '../../json/resolve.ts';
import { getAccessList } from '../../simulate/access-list.ts';
import { blockOverrides, callRequest, checkChain, stateOverrides } from '../../simulate/call-request.ts';
import { simulateBlocks } from '../../simulate/simulate-blocks.ts';
import { simulatePayload } from '../../simulate/simulate-request.ts';
import type { RpcMethods } from '../deps.ts';
import { MOVABLE, MOVABLE_AND_LARGE, marked } from '../marks.ts';
import type { CallDeps } from './deps.ts';
import { fillTransaction } from './fill.ts';

/** Methods that run something and leave nothing behind. */
export function callMethods(deps: CallDeps): RpcMethods {
  const { chain, simulator, estimator = simulator } = deps;
  const at = (block: BlockParameter) => stateBlock(chain, block);
  const movable = marked(MOVABLE, {
    async eth_call(params) {
      const [request, block = 'latest', state, header] = readParams(
        params,
        [callRequest],
        [blockReference, stateOverrides, blockOverrides],
      );
      checkChain(request, chain.chainId);
      const { output, failure } = await simulator.call(request, at(block), { state, block: header });
      if (failure === undefined) return output;
      if (failure.kind === 'revert') throw executionReverted(output);
      throw serverError(failure.message);
    },

    // Estimates and access lists are for a transaction of the next block, whose time its code may read.
    async eth_estimateGas(params) {
      const [request, block = 'pending', state, header] = readParams(
        params,
        [callRequest],
        [blockReference, stateOverrides, blockOverrides],
      );
      checkChain(request, chain.chainId);
      return quantity(await simulator.estimateGas(request, at(block), { state, block: header }));
    },

    async eth_createAccessList(params) {
      const [request, block = 'pending', state] = readParams(params, [callRequest], [blockReference, stateOverrides]);
      checkChain(request, chain.chainId);
      const { accessList, gasUsed, failure } = await getAccessList(simulator, request, at(block), { state });
      return { accessList, ...(failure === undefined ? {} : { error: failure }), gasUsed: quantity(gasUsed) };
    },
  });
  const simulating = marked(MOVABLE_AND_LARGE, {
    async eth_simulateV1(params) {
      const [payload, block = 'latest'] = readParams(params, [simulatePayload], [blockReference]);
      const number = at(block);
      return simulateBlocks(simulator, payload, number === 'pending' ? chain.heads.latest : number);
    },
  });
  return {
    ...movable,
    ...simulating,
    async eth_fillTransaction(params) {
      const [request] = readParams(params, [callRequest]);
      checkChain(request, chain.chainId);
      return fillTransaction({ ...deps, simulator: estimator }, request);
    },
  };
}
