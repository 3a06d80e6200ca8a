import { evmClient } from '@switchyard/evm/client';
import { isUnanswered, type NodeAccess, type RollupApi, type RollupNode } from '@switchyard/network/simulate';
import { fromHex } from '@switchyard/protocol';
import { keccakHex } from '@switchyard/protocol/ethereum';
import { JsonRpcError, jsonRpcClient } from '@switchyard/service';
import { hexQuantity, Input, object, optional } from '@switchyard/service/input';

/** Blocks are made from the sequencer's first one on, so both have the same numbers. */
const formatLine = (units: bigint, to: string, block: bigint): string =>
  `${units} to ${to.toLowerCase()} in block ${block}`;

/** An EVM rollup, queried by its JSON-RPC. The smallest unit of a deposit is a gwei. */
export const evmApi: RollupApi = {
  ...{ holdsLater: true, flushesCommits: true, findHash: keccakHex, node: evmNode },
  depositLine: ({ amount, destination }, sequencerHeight) => formatLine(amount, destination, sequencerHeight),
};

function evmNode(access: NodeAccess): RollupNode {
  const client = evmClient(access);
  const rpc = jsonRpcClient(access.url, { links: access.links });
  const blockAt = async (number: bigint) => {
    const block = await client.block(number);
    if (block === undefined) throw new Error(`no block ${number}`);
    return block;
  };
  const newest = async (): Promise<bigint> => (await client.status()).latest.number;
  const getState = async (hash: string): Promise<string> => {
    const { status, firm } = await client.transactionStatus(hash);
    return firm === true ? 'firm' : String(status);
  };
  return {
    chainId: async () => String((await client.status()).chainId),

    async submit(transaction) {
      try {
        await client.send(transaction);
        return 'acknowledged';
      } catch (error) {
        if (isUnanswered(error)) return 'again';
        if (!(error instanceof JsonRpcError)) throw error;
        // So a wallet takes it: the node has it, and has acknowledged it before.
        if (error.rpcMessage === 'already known') return 'acknowledged';
        // The nonce is used up if an earlier try has arrived, of which no answer came.
        const state = await getState(keccakHex(transaction)).catch(() => 'unknown');
        return state === 'included' || state === 'firm' ? 'over' : 'again';
      }
    },

    async cancellation(hash, { key }) {
      const { cancellation } = await client.cancellation(hash, fromHex(key));
      return cancellation?.raw;
    },

    findState: getState,

    async heads(signal) {
      // In this order, so that a commit between them is not taken for a firm block that is not soft.
      const wanted = ['finalized', 'latest'].map((tag) => ({ method: 'eth_getBlockByNumber', params: [tag, false] }));
      const [firm, soft] = await rpc.batch(wanted, signal);
      return { soft: numberIn(soft) ?? 0n, firm: numberIn(firm) ?? 0n };
    },

    hashOfBlock: async (number) => (await blockAt(number)).hash,

    async *blocks(upTo) {
      for (let number = upTo; number >= 0n; number -= 1n) yield await blockAt(number);
    },

    async credited() {
      const found: string[] = [];
      for (let number = 1n; number <= (await newest()); number += 1n) {
        const { withdrawals } = await blockAt(number);
        found.push(...withdrawals.map(({ address, gwei }) => formatLine(gwei, address, number)));
      }
      return found;
    },
  };
}

const numbered = optional(object({ number: hexQuantity }));

/** Undefined if there is no such block yet. @throws {JsonRpcError} */
function numberIn(result: unknown): bigint | undefined {
  if (result instanceof JsonRpcError) throw result;
  return numbered(new Input(result, 'a block'))?.number;
}
