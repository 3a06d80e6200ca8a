import { rollupClient } from '@switchyard/client';
import { type BridgeContract, evmClient, readBridgeContract, readWithdrawals } from '@switchyard/evm/client';
import { parseAddress } from '@switchyard/protocol';
import type { Links } from '@switchyard/service';
import type { FrameworkOptions } from './framework-source.ts';
import { type RollupSource, Unusable } from './source.ts';

export interface EvmOptions extends FrameworkOptions {
  /** The withdrawer contract. */
  readonly contract: `0x${string}`;
  readonly links: Links | undefined;
}

/** Blocks of one reading. */
const BLOCKS = 1_000n;

/** An EVM rollup, by its JSON-RPC and the status of its node. A position is the number of the next block. */
export function evmSource({ url, bridge, contract, links, fetch }: EvmOptions): RollupSource {
  const client = evmClient({ url, links });
  const node = rollupClient({ url, fetch });
  let known: BridgeContract | undefined;

  const awaitOwn = async (): Promise<BridgeContract> => {
    if (known !== undefined) return known;
    const found = await readBridgeContract(client, contract);
    if (found === undefined) throw new Unusable(`the rollup has no contract at ${contract}`);
    if (parseAddress(found.bridgeAddress) !== bridge) {
      throw new Unusable(`the contract ${contract} is for the bridge account ${found.bridgeAddress}`);
    }
    known = found;
    return found;
  };

  /** Deposits until the newest block, as the node has counted them. */
  const deposits = async (signal: AbortSignal) => {
    const status = await node.get('/status', signal);
    const counted = status
      .at('deposits')
      .list()
      .find((each) => parseAddress(each.at('bridge').text()) === bridge);
    if (counted === undefined) throw new Unusable('the genesis of the rollup has no such bridge account');
    const amount = (name: string) => counted.at(name).big(0n);
    return {
      sequencerHeight: status.at('sequencerHeight').big(),
      head: status.at('soft').at('number').big(),
      ...{ deposited: amount('deposited'), uncredited: amount('refused') },
    };
  };

  return {
    async check(signal) {
      const { asset } = await awaitOwn();
      const status = await node.get('/status', signal);
      const text = (name: string) => status.at(name).text();
      return {
        ...{ rollup: text('rollup'), rollupId: text('rollupId'), asset },
        sequencerChainId: text('sequencerChainId'),
      };
    },

    async read(position, level) {
      const { divisor } = await awaitOwn();
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

    async credited(signal) {
      const { deposited, uncredited } = await deposits(signal);
      return deposited - uncredited;
    },

    async sums(read, signal) {
      const { divisor } = await awaitOwn();
      const { head, ...sums } = await deposits(signal);
      const from = read.position === 0n ? 1n : read.position;
      // Events alone count: coins reach the balance of the contract in other ways too.
      const later = await readWithdrawals({ client, contract, from, to: head });
      return { ...sums, withdrawn: later.reduce((sum, { amount }) => sum + amount / divisor, read.sum) };
    },
  };
}
