import { type JsonRpcClient, JsonRpcError } from '@switchyard/service';
import { hexQuantity, Input, mapped, object, optional, type Read, text } from '@switchyard/service/input';

export type EvmNode = ReturnType<typeof evmNode>;

const METHOD_NOT_FOUND = -32_601;

const genesis = object({ hash: text });
const newest = object({ baseFeePerGas: hexQuantity });
const receipt = mapped(object({ status: hexQuantity, blockNumber: hexQuantity }), ({ status, blockNumber }) => ({
  succeeded: status === 1n,
  block: blockNumber,
}));

/**
 * The JSON-RPC methods of the execution-apis specification that the faucet calls, with types.
 *
 * @throws {InvalidData} if a node answers something else.
 */
export function evmNode(rpc: JsonRpcClient) {
  const ask = async <T>(method: string, params: readonly unknown[], read: Read<T>, signal: AbortSignal): Promise<T> =>
    read(new Input(await rpc.call(method, params, signal), method));
  return {
    chainId: (signal: AbortSignal) => ask('eth_chainId', [], hexQuantity, signal),
    genesisHash: async (signal: AbortSignal) =>
      (await ask('eth_getBlockByNumber', ['0x0', false], genesis, signal)).hash,
    balance: (address: string, signal: AbortSignal) => ask('eth_getBalance', [address, 'latest'], hexQuantity, signal),
    /** Transactions executed, as of the newest block. */
    nonce: async (address: string, signal: AbortSignal) =>
      Number(await ask('eth_getTransactionCount', [address, 'latest'], hexQuantity, signal)),
    /** In wei for each gas, of the newest block. */
    baseFee: async (signal: AbortSignal) =>
      (await ask('eth_getBlockByNumber', ['latest', false], newest, signal)).baseFeePerGas,

    /** In wei for each gas; 0 if the node has no opinion. */
    async priorityFee(signal: AbortSignal): Promise<bigint> {
      try {
        return await ask('eth_maxPriorityFeePerGas', [], hexQuantity, signal);
      } catch (error) {
        if (error instanceof JsonRpcError && error.code === METHOD_NOT_FOUND) return 0n;
        throw error;
      }
    },

    estimateGas: ({ from, to, value }: { from: string; to: string; value: bigint }, signal: AbortSignal) =>
      ask('eth_estimateGas', [{ from, to, value: `0x${value.toString(16)}` }], hexQuantity, signal),
    /** @param bytes The signed transaction, in hex without 0x. @returns its hash. */
    send: (bytes: string, signal: AbortSignal) => ask('eth_sendRawTransaction', [`0x${bytes}`], text, signal),
    receipt: (hash: string, signal: AbortSignal) => ask('eth_getTransactionReceipt', [hash], optional(receipt), signal),
  };
}
