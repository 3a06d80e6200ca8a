import { evmClient } from '@switchyard/evm/client';
import { JsonRpcError } from '@switchyard/service';
import { askAgain } from './ask-again.ts';
import type { EvmPort } from './connections.ts';
import { Failure } from './failure.ts';

/** A node of an EVM rollup by its JSON-RPC, in the words of the commands. */
export function connectEvm(url: string): EvmPort {
  const client = evmClient({ url });
  const told = async <T>(question: () => Promise<T>): Promise<T> => {
    try {
      return await askAgain(question);
    } catch (error) {
      if (!(error instanceof JsonRpcError)) throw error;
      throw new Failure(`the EVM node at ${url} answers: ${error.message}`, undefined, { cause: error });
    }
  };
  return {
    status: () => told(() => client.status()),
    balance: (address) => told(() => client.balance(address)),
    nonce: (address) => told(() => client.nonce(address)),
    block: (number) => told(() => client.block(number)),
    refusals: (block) => told(() => client.refusals(block)),
    transactionStatus: (hash) => told(() => client.transactionStatus(hash)),
    rawBlock: (number) => told(() => client.rawBlock(number)),
  };
}
