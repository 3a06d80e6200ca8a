import { BadAnswer } from '@switchyard/client';
import { type JsonRpcClient, JsonRpcError } from '@switchyard/service';

/** What the faucet asks an EVM node: the JSON-RPC methods of the execution-apis specification, as typed calls. */
export interface EvmNode {
  chainId(signal: AbortSignal): Promise<bigint>;
  /** Of block 0. */
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

export function evmNode(rpc: JsonRpcClient): EvmNode {
  const ask = (method: string, params: readonly unknown[], signal: AbortSignal) => rpc.call(method, params, signal);
  const askQuantity = async (method: string, params: readonly unknown[], signal: AbortSignal) =>
    quantity(await ask(method, params, signal), method);
  return {
    chainId: (signal) => askQuantity('eth_chainId', [], signal),

    async genesisHash(signal) {
      const method = 'eth_getBlockByNumber';
      const block = members(await ask(method, ['0x0', false], signal), method);
      return text(block.hash, `${method}.hash`);
    },

    balance: (address, signal) => askQuantity('eth_getBalance', [address, 'latest'], signal),
    nonce: (address, signal) => askQuantity('eth_getTransactionCount', [address, 'latest'], signal),

    async baseFee(signal) {
      const method = 'eth_getBlockByNumber';
      const block = members(await ask(method, ['latest', false], signal), method);
      return quantity(block.baseFeePerGas, `${method}.baseFeePerGas`);
    },

    async priorityFee(signal) {
      try {
        return await askQuantity('eth_maxPriorityFeePerGas', [], signal);
      } catch (error) {
        if (error instanceof JsonRpcError && error.code === METHOD_NOT_FOUND) return 0n;
        throw error;
      }
    },

    estimateGas: ({ from, to, value }, signal) =>
      askQuantity('eth_estimateGas', [{ from, to, value: `0x${value.toString(16)}` }], signal),

    async send(bytes, signal) {
      const method = 'eth_sendRawTransaction';
      return text(await ask(method, [`0x${bytes}`], signal), method);
    },

    async receipt(hash, signal) {
      const method = 'eth_getTransactionReceipt';
      const answer = await ask(method, [hash], signal);
      if (answer === null || answer === undefined) return undefined;
      const { status, blockNumber } = members(answer, method);
      return {
        succeeded: quantity(status, `${method}.status`) === 1n,
        block: quantity(blockNumber, `${method}.blockNumber`),
      };
    },
  };
}

function members(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw bad(where, 'an object', value);
  // Any object can be asked for members that it may lack.
  return value as Readonly<Record<string, unknown>>;
}

function text(value: unknown, where: string): string {
  if (typeof value !== 'string' || value.length > 1_000) throw bad(where, 'text', value);
  return value;
}

function quantity(value: unknown, where: string): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value)) throw bad(where, 'a number such as 0x1', value);
  return BigInt(value);
}

function bad(where: string, expected: string, got: unknown): BadAnswer {
  return new BadAnswer(`${where}: expected ${expected}, got ${JSON.stringify(got)?.slice(0, 60) ?? 'nothing'}`);
}
