import type { ChainStore } from '../chain/store.ts';
import type { PoolChain } from '../pool/deps.ts';
import { outcomeOf, sequencerHashOf } from '../pool/embedded-chain.ts';
import { nextBaseFee } from '../rules.ts';
import type { Geth } from './geth.ts';

/**
 * The chain as the node's pool sees it, with accounts that are asked for over the link.
 *
 * @param startHeight Height of the sequencer block that block 1 was made from.
 */
export function gethPoolChain(chain: ChainStore, geth: Geth, startHeight: bigint): PoolChain {
  const head = () => {
    const { latest } = chain.heads;
    const found = chain.header(latest);
    if (found === undefined) throw new Error(`the header of the soft block ${latest} is missing`);
    return found;
  };
  return {
    get nextBaseFee() {
      return nextBaseFee(head().header);
    },
    get sequencerHeight() {
      return startHeight + chain.heads.latest - 1n;
    },
    sequencerHash: (height) => sequencerHashOf(chain, height - startHeight + 1n),
    account: (address) => geth.account(address, head().hash),
    outcome: (hash) => outcomeOf(chain, hash),
    onCommit: (listener) =>
      chain.onCommit(({ blocks }) =>
        listener({
          included: blocks.flatMap(({ block }) => block.transactions),
          refused: blocks.flatMap(({ refused }) => refused.filter(({ kind }) => kind === 'transaction')),
        }),
      ),
  };
}
