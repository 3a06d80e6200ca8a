import type { Hash } from '@switchyard/evm-machine/types';
import { quantity } from '@switchyard/protocol/ethereum';
import type { AddressIndex } from '../explorer/index/address-index.ts';
import { serverError } from '../json/errors.ts';
import { address, blockReference, hash, readParams } from '../json/params.ts';
import { committedStateBlock } from '../json/resolve.ts';
import type { RpcMethods } from '../rpc/deps.ts';
import { type Frame, frame, internalCalls, otsFrames } from './frames.ts';
import { ask, type GethMethodsDeps } from './methods.ts';
import { data, readResponse } from './response.ts';

const OPERATIONS = { call: 0, selfdestruct: 1, create: 2, create2: 3 } as const;

/** Explorers' methods about state and about calls inside a transaction, from the execution client's traces. */
export function explorerOfGeth(deps: GethMethodsDeps & { readonly index: AddressIndex }): RpcMethods {
  const { chain, index } = deps;

  async function traced(transaction: Hash, options: object = {}): Promise<Frame> {
    if (chain.transaction(transaction) === undefined) throw serverError('transaction not found');
    const config = { tracer: 'callTracer', ...options };
    const method = 'debug_traceTransaction';
    return readResponse(await ask(deps, method, [transaction, config]), method, frame);
  }
  async function hasCode(account: string, block: bigint): Promise<boolean> {
    const method = 'eth_getCode';
    return readResponse(await ask(deps, method, [account, quantity(block)]), method, data) !== '0x';
  }

  return {
    ots_hasCode(params) {
      const [account, block = 'latest'] = readParams(params, [address], [blockReference]);
      return hasCode(account, committedStateBlock(chain, block));
    },

    async ots_getContractCreator(params) {
      const [contract] = readParams(params, [address]);
      const creation = index.creation(contract);
      if (creation === undefined || !(await hasCode(contract, chain.heads.latest))) return null;
      return { hash: creation.transaction, creator: creation.creator };
    },

    async ots_traceTransaction(params) {
      return otsFrames(await traced(readParams(params, [hash])[0]));
    },

    async ots_getInternalOperations(params) {
      const calls = internalCalls(await traced(readParams(params, [hash])[0]));
      return calls.map(({ kind, from, to, value }) => ({ type: OPERATIONS[kind], from, to, value: quantity(value) }));
    },

    async switchyard_getInternalCalls(params) {
      const calls = internalCalls(await traced(readParams(params, [hash])[0]));
      return calls.map(({ value, ...call }) => ({ ...call, value: quantity(value) }));
    },

    async ots_getTransactionError(params) {
      const [transaction] = readParams(params, [hash]);
      const { failed, output } = await traced(transaction, { tracerConfig: { onlyTopCall: true } });
      return failed ? output : '0x';
    },
  };
}
