import { type JsonRpcClient, JsonRpcError } from '@switchyard/service';
import { hexQuantity, Input, mapped, object, optional, type Read, text } from '@switchyard/service/input';

/** The JSON-RPC methods of the execution-apis specification that the faucet calls, with types. */
export interface EvmNode {
  chainId(signal: AbortSignal): Promise<bigint>;
  /** Hash of block 0. */
  genesisHash(signal: AbortSignal): Promise<string>;
  balance(address: string, signal: AbortSignal): Promise<bigint>;
  /** Transactions executed, as of the newest block. */
  nonce(address: string, signal: AbortSignal): Promise<bigint>;
  /** In wei for each gas, of the newest block. */
  baseFee(signal: AbortSignal): Promise<bigint>;
  /** In wei for each gas; 0 where the node has no opinion. */
  priorityFee(signal: AbortSignal): Promise<bigint>;
  estimateGas(call: { from: string; to: string; value: bigint }, signal: AbortSignal): Promise<bigint>;
  /** @param bytes The signed transaction, in hex without 0x. @returns its hash. */
  send(bytes: string, signal: AbortSignal): Promise<string>;
  receipt(
    hash: string,
    signal: AbortSignal,
  ): Promise<{ readonly succeeded: boolean; readonly block: bigint } | undefined>;
}

const METHOD_NOT_FOUND = -32_601;

const genesis = object({ hash: text });
const newest = object({ baseFeePerGas: hexQuantity });
const receipt = mapped(object({ status: hexQuantity, blockNumber: hexQuantity }), ({ status, blockNumber }) => ({
  succeeded: status === 1n,
  block: blockNumber,
}));

/** @throws {InvalidData} where a node answers something else. */
export function evmNode(rpc: JsonRpcClient): EvmNode {
  const ask = async <T>(method: string, params: readonly unknown[], read: Read<T>, signal: AbortSignal): Promise<T> =>
    read(new Input(await rpc.call(method, params, signal), method));
  return {
    chainId: (signal) => ask('eth_chainId', [], hexQuantity, signal),
    genesisHash: async (signal) => (await ask('eth_getBlockByNumber', ['0x0', false], genesis, signal)).hash,
    balance: (address, signal) => ask('eth_getBalance', [address, 'latest'], hexQuantity, signal),
    nonce: (address, signal) => ask('eth_getTransactionCount', [address, 'latest'], hexQuantity, signal),
    baseFee: async (signal) => (await ask('eth_getBlockByNumber', ['latest', false], newest, signal)).baseFeePerGas,

    async priorityFee(signal) {
      try {
        return await ask('eth_maxPriorityFeePerGas', [], hexQuantity, signal);
      } catch (error) {
        if (error instanceof JsonRpcError && error.code === METHOD_NOT_FOUND) return 0n;
        throw error;
      }
    },

    estimateGas: ({ from, to, value }, signal) =>
      ask('eth_estimateGas', [{ from, to, value: `0x${value.toString(16)}` }], hexQuantity, signal),
    send: (bytes, signal) => ask('eth_sendRawTransaction', [`0x${bytes}`], text, signal),
    receipt: (hash, signal) => ask('eth_getTransactionReceipt', [hash], optional(receipt), signal),
  };
}
