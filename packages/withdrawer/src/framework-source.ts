import { type RollupClientOptions, rollupClient } from '@switchyard/client';
import { bridge as bridgeRecord, listBridges, listWithdrawals, withdrawal } from '@switchyard/client/rollup-contract';
import { type AccountId, parseAddress } from '@switchyard/protocol';
import { requestPath } from '@switchyard/service/contract';
import { type RollupSource, Unusable } from './source.ts';

export interface FrameworkOptions {
  readonly url: string;
  readonly bridge: AccountId;
  readonly fetch: RollupClientOptions['fetch'];
}

const PAGE = 200;

/** A rollup of the framework, by its HTTP API. A position is the number of the next withdrawal, of all bridge accounts. */
export function frameworkSource({ url, bridge, fetch }: FrameworkOptions): RollupSource {
  const rollup = rollupClient({ url, fetch });

  const awaitOwn = async (signal: AbortSignal) => {
    const answer = await rollup.get(requestPath(listBridges, {}), signal);
    const bridges = answer.at('bridges').list().map(bridgeRecord.read);
    const found = bridges.find((each) => parseAddress(each.bridge) === bridge);
    if (found === undefined) {
      const got = bridges.map((each) => each.bridge).join(', ') || 'none';
      throw new Unusable(`the genesis of the rollup lets this bridge account pay no withdrawals; it names ${got}`);
    }
    return { ...found, sequencerHeight: answer.at('sequencerHeight').big() };
  };

  return {
    async check(signal) {
      const { rollup: name, all } = await rollup.status(signal);
      const { asset } = await awaitOwn(signal);
      const { rollupId, sequencerChainId } = all;
      return { rollup: name, rollupId: String(rollupId), asset, sequencerChainId: String(sequencerChainId) };
    },

    async read(position, level, signal) {
      const start = position === 0n ? { before: BigInt(PAGE) } : { after: position - 1n };
      const answer = await rollup.get(requestPath(listWithdrawals, { ...start, limit: PAGE }), signal);
      const limit = answer.at(level).big();
      const page = answer.at('withdrawals').list().map(withdrawal.read).reverse();
      const believed = page.filter(({ block }) => BigInt(block) <= limit);
      const last = believed.at(-1);
      return {
        found: believed
          .filter((each) => parseAddress(each.bridge) === bridge)
          .map(({ eventId, block, sender, destination, amount, memo }) => ({
            ...{ eventId, block: BigInt(block), sender, to: destination, amount: BigInt(amount), memo },
          })),
        position: last === undefined ? position : BigInt(last.id) + 1n,
        isLast: believed.length < PAGE,
      };
    },

    async credited(signal) {
      const { backing, withdrawn } = await awaitOwn(signal);
      return BigInt(backing) + BigInt(withdrawn);
    },

    async sums(_, signal) {
      const { backing, withdrawn, uncredited, sequencerHeight } = await awaitOwn(signal);
      const lost = BigInt(uncredited);
      const deposited = BigInt(backing) + BigInt(withdrawn) + lost;
      return { sequencerHeight, deposited, uncredited: lost, withdrawn: BigInt(withdrawn) };
    },
  };
}
