import type { Logger } from '@switchyard/service';
import type { ChainStore } from '../chain/store.ts';
import type { Hash } from '../types.ts';
import { type BlockName, type Geth, NotTaken } from './geth.ts';
import { Unusable } from './suitable.ts';

export interface HealContext {
  readonly geth: Geth;
  readonly chain: ChainStore;
  readonly log: Logger;
  /** Told what is going on, for whoever asks why nothing is executed. */
  readonly report: (text: string) => void;
  readonly signal: AbortSignal;
}

/** After so many blocks geth is told where its head is: it writes state for those that count. */
const STRIDE = 16n;

/**
 * Gives geth what it lacks of the committed chain, which can be all of it: after a kill it forgets blocks, even those
 * that were final. Where geth is ahead it is left there, and goes back when the next block is built.
 *
 * @returns geth's head.
 * @throws {Unusable} where geth has a final block that this chain does not have.
 */
export async function heal(context: HealContext): Promise<BlockName> {
  const { geth, chain, log, signal } = context;
  const { latest: soft, finalized } = chain.heads;
  const head = await geth.head(signal);
  const shared = await lastShared(context, head.number < soft ? head.number : soft);
  const ours = nameOf(chain, shared);
  if (head.hash === ours.hash && shared === soft) return ours;
  if (head.number > shared) {
    log.warn({ head: head.number, shared }, 'the execution client has blocks that are not committed here; going back');
    await goBack(context, ours);
  }
  if (shared === soft) return ours;
  log.info({ from: shared + 1n, to: soft }, 'the execution client lacks blocks; sending them again');
  for (let number = shared + 1n; number <= soft; number += 1n) {
    context.report(`sending it the blocks that it lacks: ${number} of ${soft}`);
    const block = chain.block(number);
    if (block === undefined) throw new Error(`block ${number} is not in the database`);
    const transactions = block.transactions.map(({ raw }) => raw);
    await geth.newPayload({ ...block, transactions }, signal);
    if (number !== soft && number % STRIDE !== 0n) continue;
    const final = nameOf(chain, finalized < number ? finalized : number).hash;
    await geth.forkchoice({ head: block.hash, safe: final, finalized: final }, signal);
  }
  return nameOf(chain, soft);
}

/** The highest block, up to `upper`, that both have: below it all are the same. */
async function lastShared({ geth, chain, signal }: HealContext, upper: bigint): Promise<bigint> {
  const isShared = async (number: bigint) => (await geth.block(number, signal))?.hash === chain.hashOf(number);
  if (await isShared(upper)) return upper;
  // Block 0 was compared before.
  let low = 0n;
  let high = upper;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (await isShared(middle)) low = middle;
    else high = middle;
  }
  return low;
}

async function goBack({ geth, signal }: HealContext, to: BlockName): Promise<void> {
  try {
    await geth.moveHead(to, to.hash, signal);
  } catch (error) {
    if (!(error instanceof NotTaken)) throw error;
    throw new Unusable(
      `${geth.target}: expected block ${to.number} with hash ${to.hash} as its head, and it does not go back there; is it driven by another node? give it an empty data directory`,
      { cause: error },
    );
  }
}

function nameOf(chain: ChainStore, number: bigint): { readonly number: bigint; readonly hash: Hash } {
  const hash = chain.hashOf(number);
  if (hash === undefined) throw new Error(`block ${number} is not in the database`);
  return { number, hash };
}
