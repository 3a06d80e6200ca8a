import { setImmediate } from 'node:timers/promises';
import { httpApi } from '@switchyard/client/http-api';
import type { RollupId } from '@switchyard/protocol';
import { AnswerTooLong, JsonRpcError, jsonRpcClient, type Links } from '@switchyard/service';
import { hexData, hexQuantity, Input } from '@switchyard/service/input';
import type { RollupHead } from '../rollups/rollup-node.ts';
import { type EvmBlock, evmBlock } from './evm-block.ts';

export type EvmNode = ReturnType<typeof evmNode>;

const MAX_ANSWER_BYTES = 64 * 1_048_576;
/** Bound on the answer to a call for a page. */
const MAX_CALL_BYTES = 4 * 1_048_576;
const CALL_TIMEOUT_MS = 10_000;
const MAX_TRACE_BYTES = 16 * 1_048_576;
/** Gas for asking a contract its name or a balance. It is enough for a proxy, and for memory of less than 100 kB. */
const READ_GAS = 200_000;
/** Hex digits of the answer to such a call. */
const MAX_READ = 16_384;
const ROLLUP_ID = /^[0-9a-f]{64}$/;

/** A node of an EVM rollup: its state over HTTP, and JSON-RPC. Every answer is bounded. */
export function evmNode(url: string, links?: Links) {
  const ask = httpApi('rollup', { url, fetch: links?.fetch });
  const rpc = jsonRpcClient(url, { links, maxResponseBytes: MAX_ANSWER_BYTES });
  const calls = jsonRpcClient(url, { links, maxResponseBytes: MAX_CALL_BYTES, timeoutMs: CALL_TIMEOUT_MS });
  // Each call in a trace is nested in its caller, up to 1,024 of them.
  const bounds = { maxResponseBytes: MAX_TRACE_BYTES, timeoutMs: CALL_TIMEOUT_MS, maxDepth: 2_100 };
  const traces = jsonRpcClient(url, { links, ...bounds });
  return {
    url,

    async head(signal: AbortSignal): Promise<RollupHead> {
      const answer = await ask('/status', { signal });
      const id = answer.at('rollupId').text();
      if (!ROLLUP_ID.test(id)) answer.at('rollupId').fail('64 hex digits');
      return {
        name: answer.at('rollup').text(),
        // Just checked.
        id: id as RollupId,
        chainId: String(answer.at('chainId').big()),
        soft: answer.at('soft').at('number').integer(),
        firm: answer.at('firm').optional((firm) => firm.at('number').integer()),
        firmLayerHeight: answer.at('firmLayerHeight').optional((each) => each.integer()),
        lowest: answer.at('lowestBlock').optional((each) => each.integer()) ?? 1,
      };
    },

    async findHash(number: number, signal: AbortSignal): Promise<string> {
      const method = 'eth_getBlockByNumber';
      const block = new Input(await rpc.call(method, [hexNumber(number), false], signal), method);
      return hexData(32)(block.at('hash')).slice(2);
    },

    async blocks(from: number, most: number, signal: AbortSignal): Promise<EvmBlock[]> {
      const method = 'switchyard_getBlocks';
      const answer = new Input(await rpc.call(method, [hexNumber(from), hexNumber(most)], signal), method);
      const blocks: EvmBlock[] = [];
      for (const each of answer.list()) {
        blocks.push(evmBlock(each));
        // A request for a page waits for one block, not for all.
        await setImmediate();
      }
      return blocks;
    },

    /** Balance in wei and nonce after each of these blocks; undefined if the node does not keep that state. */
    async accounts(
      address: string,
      blocks: readonly (number | 'latest')[],
      signal: AbortSignal,
    ): Promise<({ readonly balance: bigint; readonly nonce: number } | undefined)[]> {
      const answers = await calls.batch(
        blocks.flatMap((block) =>
          ['eth_getBalance', 'eth_getTransactionCount'].map((method) => ({
            method,
            params: [`0x${address}`, typeof block === 'number' ? hexNumber(block) : block],
          })),
        ),
        signal,
      );
      return blocks.map((_, at) => {
        const [balance, nonce] = [answers[2 * at], answers[2 * at + 1]];
        if (balance instanceof JsonRpcError || nonce instanceof JsonRpcError) return undefined;
        return {
          balance: hexQuantity(new Input(balance, 'eth_getBalance')),
          nonce: Number(hexQuantity(new Input(nonce, 'eth_getTransactionCount'))),
        };
      });
    },

    /**
     * Calls of contracts after a block. An answer is undefined if the call reverts, runs out of gas or time, or answers more
     * than is taken.
     */
    async read(
      requests: readonly { readonly to: string; readonly data: string }[],
      block: number,
      signal: AbortSignal,
    ): Promise<(string | undefined)[]> {
      try {
        const answers = await calls.batch(
          requests.map(({ to, data }) => ({
            method: 'eth_call',
            params: [{ to: `0x${to}`, input: `0x${data}`, gas: hexNumber(READ_GAS) }, hexNumber(block)],
          })),
          signal,
        );
        return answers.map((each) => {
          if (each instanceof JsonRpcError) return undefined;
          const data = hexData()(new Input(each, 'eth_call')).slice(2);
          return data.length <= MAX_READ ? data : undefined;
        });
      } catch (error) {
        if (!(error instanceof AnswerTooLong)) throw error;
        // An item with too large an answer must not take the answers of the others with it.
        const half = requests.length >> 1;
        if (half === 0) return [undefined];
        return [
          ...(await this.read(requests.slice(0, half), block, signal)),
          ...(await this.read(requests.slice(half), block, signal)),
        ];
      }
    },

    /** Executes a transaction again. */
    trace: (hash: string, options: object, signal: AbortSignal) =>
      traces.call('debug_traceTransaction', [`0x${hash}`, options], signal),
    transaction: (hash: string, signal: AbortSignal) => calls.call('eth_getTransactionByHash', [`0x${hash}`], signal),
    /** Any other method, with a short answer in a short time. */
    call: (method: string, params: readonly unknown[], signal: AbortSignal) => calls.call(method, params, signal),
    async get(path: string, signal: AbortSignal): Promise<unknown> {
      return (await ask(path, { signal })).value;
    },
  };
}

export const hexNumber = (number: number): string => `0x${number.toString(16)}`;
