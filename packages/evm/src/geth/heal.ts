import { quantity } from '@switchyard/protocol/ethereum';
import { errorLine, type Logger } from '@switchyard/service';
import type { ChainStore } from '../chain/store.ts';
import { type BlockName, type Geth, NotTaken } from './geth.ts';
import { Unusable } from './suitable.ts';

export interface HealContext {
  readonly geth: Geth;
  readonly chain: ChainStore;
  readonly log: Logger;
  /** Aborts when the node stops. */
  readonly signal: AbortSignal;
  /** Called with the progress, which explains why nothing is executed. */
  readonly report: (text: string) => void;
}

/** Blocks after which geth's head is set: it writes state only for those below a head. */
const STRIDE = 16n;

/**
 * Gives geth the missing part of the committed chain, which can be all of it: after a kill it forgets blocks, even those
 * that were final. If geth is ahead it stays there, and goes back when the next block is built.
 *
 * @returns geth's head.
 * @throws {Unusable} if geth does not go back to the common part.
 */
export async function heal(context: HealContext): Promise<BlockName> {
  const { geth, chain, log, signal } = context;
  const { latest: soft } = chain.heads;
  const head = await geth.head(signal);
  const shared = await lastShared(context, head.number < soft ? head.number : soft);
  const own = toName(chain, shared);
  if (head.hash === own.hash && shared === soft) return own;
  if (head.number > shared) {
    log.warn({ head: head.number, shared }, 'execution client is ahead of the committed blocks; rewinding it');
    await goBack(context, own);
  }
  if (shared === soft) return own;
  log.info({ from: shared + 1n, to: soft }, 'execution client lacks blocks; resending them');
  for (let number = shared + 1n; number <= soft; number += 1n) {
    context.report(`sending it the blocks that it lacks: ${number} of ${soft}`);
    await send(context, number);
    if (number === soft || number % STRIDE === 0n) await choose(context, number);
  }
  return toName(chain, soft);
}

async function send(context: HealContext, number: bigint): Promise<void> {
  const { geth, chain, signal } = context;
  const block = chain.block(number);
  if (block === undefined) throw new Error(`block ${number} is not in the database`);
  const transactions = block.transactions.map(({ raw }) => raw);
  const payload = {
    ...block,
    transactions,
    requests: chain.requestsIn(number),
    accessList: chain.accessListIn(number),
  };
  try {
    await geth.newPayload(payload, signal);
  } catch (error) {
    if (!(error instanceof NotTaken)) throw error;
    // After a kill it may have the parent and not its state, which it makes again when that becomes its head.
    await choose(context, number - 1n);
    await geth.newPayload(payload, signal).catch((again: unknown) => askRestart(context, again));
  }
}

/**
 * A geth that keeps little state and is killed may start without the state of its head. It then waits for peers to send
 * it one, regardless of its flags, and takes no new block until it is started once more. If it is back at its genesis
 * with blocks above, these must be gone before that.
 */
async function askRestart({ geth, signal }: HealContext, error: unknown): Promise<never> {
  if (!(error instanceof NotTaken)) throw error;
  if ((await geth.head(signal)).number === 0n) await geth.call('debug_setHead', ['0x0'], { signal });
  throw new NotTaken(
    'it lost its state when it was killed, and waits for peers; restart geth once, then it gets the blocks that it lacks (started with --state.scheme hash --gcmode archive it loses no more than the last blocks)',
    { cause: error },
  );
}

/** Makes a block that it has its head. */
async function choose({ geth, chain, signal }: HealContext, number: bigint): Promise<void> {
  const { finalized } = chain.heads;
  const { hash } = toName(chain, number);
  const final = toName(chain, finalized < number ? finalized : number).hash;
  await geth.forkchoice({ head: hash, safe: final, finalized: final }, signal);
}

/** The highest block, up to `upper`, that both have: below it all are the same. */
async function lastShared({ geth, chain, signal }: HealContext, upper: bigint): Promise<bigint> {
  const isShared = async (number: bigint) => (await geth.block(number, signal))?.hash === chain.findHash(number);
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

/** geth goes back behind a final block only when it is made to forget the blocks above. */
async function goBack({ geth, log, signal }: HealContext, to: BlockName): Promise<void> {
  try {
    await geth.moveHead(to, to.hash, signal);
    return;
  } catch (error) {
    if (!(error instanceof NotTaken)) throw error;
    log.warn(
      { to: to.number, reason: errorLine(error) },
      'execution client has final blocks that are not committed here; rewinding it',
    );
  }
  await geth.call('debug_setHead', [quantity(to.number)], { signal });
  const head = await geth.head(signal);
  if (head.hash !== to.hash)
    throw new Unusable(
      `${geth.target}: expected block ${to.number} with hash ${to.hash} as its head, got ${head.number} with ${head.hash}; give geth an empty data directory`,
    );
}

export function toName(chain: ChainStore, number: bigint): BlockName {
  const hash = chain.findHash(number);
  if (hash === undefined) throw new Error(`block ${number} is not in the database`);
  return { number, hash };
}
