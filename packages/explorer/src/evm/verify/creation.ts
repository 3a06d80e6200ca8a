import { isTransportFailure, JsonRpcError } from '@switchyard/service';
import { hexData, Input } from '@switchyard/service/input';
import type { ContractNode } from './contract-node.ts';

/** How a contract came to be. */
export type Creation = NonNullable<Awaited<ReturnType<typeof getCreation>>>;

const MAX_CALLS = 20_000;

/** @param address With `0x`. @returns undefined for contracts of the genesis, and if the node keeps no such index. */
export async function getCreation(node: ContractNode, address: string, signal: AbortSignal) {
  const found = await ifKnown(node.call('ots_getContractCreator', [address], signal));
  const creator = new Input(found, 'ots_getContractCreator');
  if (!creator.isPresent) return undefined;
  const transaction = hexData(32)(creator.at('hash'));
  const sent = new Input(await node.call('eth_getTransactionByHash', [transaction], signal), 'transaction');
  const by = hexData(20)(creator.at('creator'));
  // A transaction that creates a contract may create more, which have the first as their creator.
  const isDirect = sent.isPresent && !sent.at('to').isPresent && hexData(20)(sent.at('from')) === by;
  return {
    transaction,
    creator: by,
    // With the arguments of its constructor, hex without `0x`; undefined if it is not known.
    code: isDirect ? hexData()(sent.at('input')).slice(2) : await codeInTrace(node, transaction, address, signal),
  };
}

/** Creation code of a contract that another one created. */
async function codeInTrace(node: ContractNode, transaction: string, address: string, signal: AbortSignal) {
  const trace = await ifKnown(node.trace(transaction.slice(2), { tracer: 'callTracer' }, signal));
  const waiting = [new Input(trace, 'trace')];
  for (let seen = 0; seen < MAX_CALLS; seen += 1) {
    const call = waiting.pop();
    if (call?.isObject !== true) return undefined;
    const isIt = String(call.at('to').value).toLowerCase() === address.toLowerCase();
    if (isIt && /^CREATE2?$/.test(String(call.at('type').value)) && !call.at('error').isPresent)
      return hexData()(call.at('input')).slice(2);
    waiting.push(...call.at('calls').list(MAX_CALLS));
  }
  return undefined;
}

/** Undefined if the node has no such method or no longer has the block. */
async function ifKnown(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof JsonRpcError && !isTransportFailure(error)) return undefined;
    throw error;
  }
}
