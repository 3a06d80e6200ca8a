import { evmClient, readBridgeContract, readWithdrawals } from '@switchyard/evm/client';
import { JsonRpcError } from '@switchyard/service';
import { askAgain } from './ask-again.ts';
import type { EvmPort } from './connections.ts';
import { Failure } from './failure.ts';

/** A node of an EVM rollup by its JSON-RPC, in the words of the commands. */
export function connectEvm(url: string): EvmPort {
  const client = evmClient({ url });
  const asked = <T>(question: () => Promise<T>): Promise<T> => explained(() => askAgain(question));
  const explained = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof JsonRpcError)) throw error;
      throw new Failure(`the EVM node at ${url} answers: ${error.message}`, undefined, { cause: error });
    }
  };
  return {
    status: () => asked(() => client.status()),
    balance: (address) => asked(() => client.balance(address)),
    nonce: (address) => asked(() => client.nonce(address)),
    block: (number) => asked(() => client.block(number)),
    refusals: (block) => asked(() => client.refusals(block)),
    transactionStatus: (hash) => asked(() => client.transactionStatus(hash)),
    cancellation: (hash, secret) => asked(() => client.cancellation(hash, secret)),
    signedCall: (call, secret) => asked(() => client.signedCall(call, secret)),
    bridgeContract: () => asked(() => readBridgeContract(client)),
    withdrawals: (block) => asked(() => readWithdrawals({ client, from: block, to: block })),
    // Not asked again: the node may have taken it.
    send: (raw) => explained(() => client.send(raw)),
    rawBlock: (number) => asked(() => client.rawBlock(number)),
  };
}
