import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import type { RollupId } from '@switchyard/protocol';
import type { ownSequencer } from '@switchyard/protocol/gen';
import type { Clock, Turns } from '@switchyard/service';
import { notKept } from './wire.ts';

/** One block in sent form: both parts were encoded when the block was made. */
export interface SignedFilteredBlock {
  readonly block: Uint8Array;
  readonly signedHeader: Uint8Array;
}

export interface BlockSource {
  /** Highest block that can be sent with its signatures. */
  latest(): bigint;
  /** Lowest block that is kept. */
  lowest(): bigint;
  at(height: bigint, rollup: RollupId): SignedFilteredBlock | undefined;
  /** Calls `listener` after `latest` rose; returns a function that ends that. */
  onBlock(listener: () => void): () => void;
}

export interface FollowLimits {
  readonly maxBlocks: number;
  /** A message ends with the block that reaches this. */
  readonly maxBytes: number;
  /** A message without blocks goes out after this long without one. */
  readonly heartbeatMs: number;
}

export const FOLLOW_LIMITS: FollowLimits = { maxBlocks: 256, maxBytes: 1_048_576, heartbeatMs: 10_000 };

type Message = MessageInitShape<typeof ownSequencer.StreamFilteredBlocksResponseSchema>;

export interface FollowDeps {
  readonly clock: Clock;
  /** A new block is sent to one consumer in each round of the event loop. */
  readonly turns: Turns;
  readonly signal: AbortSignal;
  readonly limits?: FollowLimits;
}

/**
 * Every block of a rollup from a height on, without a gap.
 *
 * Nothing is queued for a consumer: the next message is made when the last one was taken, from the blocks stored by then. So
 * a slow consumer costs one message, and a lagging one catches up in batches.
 */
export async function* followBlocks(
  from: bigint,
  rollup: RollupId,
  source: BlockSource,
  { clock, turns, signal, limits = FOLLOW_LIMITS }: FollowDeps,
): AsyncGenerator<Message> {
  let wake: () => void = () => undefined;
  const woken = (): void => wake();
  const unsubscribe = source.onBlock(woken);
  signal.addEventListener('abort', woken, { once: true });
  try {
    // The first message goes out at once, with or without blocks: it tells the height of the chain.
    for (let next = from, silent = false; !signal.aborted; ) {
      const blocks = collect(next, rollup, source, limits);
      next += BigInt(blocks.length);
      if (blocks.length > 0 || !silent) {
        silent = true;
        yield { blocks, latestHeight: source.latest() };
        continue;
      }
      silent = await new Promise<boolean>((resolve) => {
        // Nothing was awaited since `collect`, so no block can have come between.
        const cancel = clock.after(limits.heartbeatMs, () => resolve(false));
        wake = () => {
          cancel();
          resolve(true);
        };
      });
      if (silent) await turns.take();
    }
  } finally {
    unsubscribe();
    signal.removeEventListener('abort', woken);
  }
}

function collect(from: bigint, rollup: RollupId, source: BlockSource, limits: FollowLimits): SignedFilteredBlock[] {
  const blocks: SignedFilteredBlock[] = [];
  const latest = source.latest();
  let bytes = 0;
  for (let height = from; height <= latest && blocks.length < limits.maxBlocks && bytes < limits.maxBytes; height++) {
    const block = source.at(height, rollup);
    // A node that was made from a snapshot begins later, and old blocks may be deleted; another one may have it.
    if (block === undefined) throw new ConnectError(notKept(height, source.lowest()), Code.OutOfRange);
    blocks.push(block);
    bytes += block.block.length + block.signedHeader.length;
  }
  return blocks;
}
