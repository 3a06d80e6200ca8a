import { type RollupClientOptions, rollupClient } from '@switchyard/client';
import {
  type BridgeContract,
  type EvmClient,
  evmClient,
  readBridgeContract,
  readWithdrawals,
} from '@switchyard/evm/client';
import { type AccountId, parseAddress } from '@switchyard/protocol';
import type { Links } from '@switchyard/service';
import { type Counted, type RollupSource, Unusable } from './source.ts';

export interface EvmOptions {
  readonly url: string;
  readonly bridge: AccountId;
  /** The withdrawer contract. */
  readonly contract: `0x${string}`;
  readonly links: Links | undefined;
  readonly fetch: RollupClientOptions['fetch'];
}

/** Blocks of one reading. */
const BLOCKS = 1_000n;
const GWEI = 1_000_000_000n;
/** Blocks of which the deposits are asked for at once. */
const AT_ONCE = 20;

/** An EVM rollup, by its JSON-RPC and the status of its node. A position is the number of the next block. */
export function evmSource({ url, bridge, contract, links, fetch }: EvmOptions): RollupSource {
  const client = evmClient({ url, links });
  const node = rollupClient({ url, fetch });
  let known: BridgeContract | undefined;

  const ours = async (): Promise<BridgeContract> => {
    if (known !== undefined) return known;
    const found = await readBridgeContract(client, contract);
    if (found === undefined) throw new Unusable(`the rollup has no contract at ${contract}`);
    if (parseAddress(found.bridgeAddress) !== bridge) {
      throw new Unusable(`the contract ${contract} is for the bridge account ${found.bridgeAddress}`);
    }
    known = found;
    return found;
  };

  return {
    async check(signal) {
      await ours();
      const status = await node.get('/status', signal);
      return { rollup: status.at('rollup').text(), sequencerChainId: status.at('sequencerChainId').text() };
    },

    async read(position, level) {
      const { divisor } = await ours();
      const from = position === 0n ? 1n : position;
      const head = (await client.block(level === 'soft' ? 'latest' : 'finalized'))?.number ?? 0n;
      if (head < from) return { found: [], position: from, isLast: true };
      const to = head < from + BLOCKS ? head : from + BLOCKS - 1n;
      const events = await readWithdrawals({ client, contract, from, to });
      return {
        found: events.map(({ eventId, blockNumber, sender, amount, destination }) => ({
          ...{ eventId, block: blockNumber, sender, to: destination, amount: amount / divisor, memo: '' },
          ...(amount % divisor !== 0n && {
            fault: `${amount} wei are no whole number of the asset's units of ${divisor} wei`,
          }),
        })),
        position: to + 1n,
        isLast: to === head,
      };
    },

    async sums(before, signal) {
      const { divisor } = await ours();
      const status = await node.get('/status', signal);
      const sequencerHeight = status.at('sequencerHeight').big();
      const head = status.at('soft').at('number').big();
      const counted = await count(client, before ?? { block: 0n, deposited: 0n }, head, divisor);
      // The contract gives nothing out, so its balance at a block is what was withdrawn until then.
      const held = await client.call('eth_getBalance', contract, `0x${head.toString(16)}`);
      const { deposited } = counted;
      return { sequencerHeight, deposited, uncredited: 0n, withdrawn: BigInt(String(held)) / divisor, counted };
    },
  };
}

/** Adds the deposits of the blocks that are not counted yet: the withdrawals of EIP-4895 are what the sequencer sent. */
async function count(client: EvmClient, before: Counted, head: bigint, divisor: bigint): Promise<Counted> {
  let { block, deposited } = before;
  while (block < head) {
    const size = Math.min(AT_ONCE, Number(head - block));
    const numbers = Array.from({ length: size }, (_, index) => block + 1n + BigInt(index));
    for (const found of await Promise.all(numbers.map((number) => client.block(number)))) {
      if (found === undefined) throw new Error(`the node has no block between ${block} and ${head}`);
      for (const { gwei } of found.withdrawals) deposited += (gwei * GWEI) / divisor;
    }
    block += BigInt(size);
  }
  return { block, deposited };
}
