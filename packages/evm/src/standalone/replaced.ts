import type { Hash } from '@switchyard/evm-machine/types';
import type { FoundLog } from '../chain/chain.ts';
import { iterateLogs } from '../chain/logs.ts';
import type { StandaloneChain } from './chain.ts';

/** A block that may be taken back. */
interface Known {
  readonly number: bigint;
  readonly hash: Hash;
  readonly logs: readonly FoundLog[];
}

/** The blocks after this one, oldest first. */
export function blocksAfter(chain: StandaloneChain, number: bigint): readonly Known[] {
  const found: Known[] = [];
  for (let next = number + 1n; next <= chain.heads.latest; next += 1n) {
    const block = chain.header(next);
    if (block === undefined) throw new Error(`the chain has no block ${next}`);
    const { hash, header } = block;
    found.push({ number: next, hash, logs: BigInt(header.logsBloom) === 0n ? [] : logsIn(chain, next) });
  }
  return found;
}

/**
 * Notifies of the blocks of `before` that are gone, and of their replacements.
 *
 * @param stayed A block before them that is still there.
 */
export function publishReplaced(chain: StandaloneChain, stayed: bigint, before: readonly Known[]): void {
  const same = before.findIndex(({ number, hash }) => chain.findHash(number) !== hash);
  const gone = same === -1 ? [] : before.slice(same);
  const after = stayed + BigInt(before.length - gone.length);
  if (gone.length > 0) chain.publishDropped({ after, logs: gone.flatMap(({ logs }) => logs).reverse() });
  const { heads } = chain;
  for (let next = after + 1n; next <= heads.latest; next += 1n) {
    const block = chain.block(next);
    if (block === undefined) throw new Error(`the chain has no block ${next}`);
    const receipts = chain.receipts(next) ?? [];
    chain.publish([{ block, receipts, refused: chain.refusedIn(next) }]);
  }
}

function logsIn(chain: StandaloneChain, number: bigint): readonly FoundLog[] {
  const block = chain.block(number);
  return block === undefined ? [] : [...iterateLogs(block, chain.receipts(number) ?? [])];
}
