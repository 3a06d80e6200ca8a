import { type EvmClient, evmClient, readBridgeContract, readWithdrawals } from '@switchyard/evm/client';
import { JsonRpcError } from '@switchyard/service';
import { Failure } from '@switchyard/service/failure';
import { askAgain } from './ask-again.ts';

/** A node of an EVM rollup by its JSON-RPC, in the words of the commands. */
export function connectEvm(url: string) {
  const client = evmClient({ url });
  const ask = <T>(question: () => Promise<T>): Promise<T> => explained(() => askAgain(question));
  const explained = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof JsonRpcError)) throw error;
      throw new Failure(`the EVM node at ${url} answers: ${error.message}`, error);
    }
  };
  return {
    status: () => ask(() => client.status()),
    /** In wei. */
    balance: (address: string) => ask(() => client.balance(address)),
    nonce: (address: string) => ask(() => client.nonce(address)),
    /** `undefined` for a block that is not there yet. */
    block: (number: bigint | 'latest') => ask(() => client.block(number)),
    /** Reasons why entries of a block were refused. */
    refusals: (block: bigint) => ask(() => client.refusals(block)),
    transactionStatus: (hash: string) => ask(() => client.transactionStatus(hash)),
    /** Signs the replacement of a held transaction; nothing is sent. */
    cancellation: (...item: Parameters<EvmClient['cancellation']>): ReturnType<EvmClient['cancellation']> =>
      ask(() => client.cancellation(...item)),
    /** Signs a call; nothing is sent. */
    signedCall: (...item: Parameters<EvmClient['signedCall']>) => ask(() => client.signedCall(...item)),
    /** `undefined` if the contract that takes coins back to the sequencer is not there. */
    bridgeContract: () => ask(() => readBridgeContract(client)),
    /** Withdrawals of a block through that contract. */
    withdrawals: (block: bigint) => ask(() => readWithdrawals({ client, from: block, to: block })),
    // Not sent again: the node may have taken it.
    send: (raw: Uint8Array) => explained(() => client.send(raw)),
    /** RLP; `undefined` for a block that is not there yet. */
    rawBlock: (number: bigint) => ask(() => client.rawBlock(number)),
  };
}
