import { type Snapshot, type StateReader, type StateWriter, struct, u64 } from '@switchyard/machine';
import { type Timestamp, timestampToMillis } from '@switchyard/protocol';
import { KEEP_ALL, type Retention, retainFrom } from '@switchyard/service';
import { frameTime, lowestFrame } from '../block-frames.ts';
import { deletePieces } from '../blocks.ts';
import type { Executed } from './proposal.ts';
import { cell } from './tables/cell.ts';
import { nonceSpenders } from './tables/spenders.ts';
import type { Genesis } from './types.ts';

export interface RetentionConfig extends Retention {
  /** For each account, the spenders of this many of its newest nonces are kept. */
  readonly nonces: number | undefined;
  /** Whether others verify evidence against blocks that are still there: under CometBFT. */
  readonly evidence: boolean;
}

export const RETAIN_ALL: RetentionConfig = { ...KEEP_ALL, nonces: undefined, evidence: false };

/** Blocks that go with each new one at most. */
const MAX_CONCURRENT = 64n;

/** How long evidence counts, from the genesis. Outside the root, so that a node restored from a snapshot lacks it. */
const evidenceAge = cell('index/chain/evidence-age', struct({ blocks: u64, nanos: u64 }));
const UNKNOWN_AGE = { blocks: 4_000_000n, nanos: 14n * 86_400_000_000_000n };

/**
 * Which blocks are kept. Deletions are part of the block that causes them, and outside the state root: two nodes with
 * different settings agree.
 */
export class Pruning {
  readonly #config: RetentionConfig;
  readonly #floor: () => bigint;
  /** First kept height, as committed; 0 before the first block. */
  lowest = 0n;

  constructor(config: RetentionConfig, floor: () => bigint) {
    this.#config = config;
    this.#floor = floor;
  }

  load(snapshot: Snapshot): void {
    this.lowest = lowestFrame(snapshot) ?? 0n;
  }

  begin(state: StateWriter, { consensusParams: { evidence } }: Genesis): void {
    this.lowest = 0n;
    evidenceAge.put(state, { blocks: evidence.maxAgeNumBlocks, nanos: evidence.maxAgeDuration });
  }

  /** Height below which an engine may delete; 0 for nothing. */
  get retainHeight(): bigint {
    const { blocks, ageMs } = this.#config;
    return blocks === undefined && ageMs === undefined && this.#floor() === 0n ? 0n : this.lowest;
  }

  /** @returns the first block that is kept. */
  prune(
    state: StateWriter,
    { height, time, executed }: { height: bigint; time: Timestamp; executed: Executed },
  ): bigint {
    this.#pruneSpenders(state, executed);
    const first = this.lowest === 0n ? height : this.lowest;
    const wanted = this.#wanted(state, first, height, time);
    for (let each = first; each < wanted; each += 1n) deletePieces(state, each);
    return wanted;
  }

  #wanted(state: StateReader, first: bigint, newest: bigint, time: Timestamp): bigint {
    const getTime = (height: bigint) => (height === newest ? timestampToMillis(time) : frameTime(state, height));
    const kept = { first, newest, getTime };
    const { blocks, ageMs, evidence } = this.#config;
    const floor = this.#floor();
    if (blocks === undefined && ageMs === undefined && floor === 0n) return first;
    const limit = retainFrom({ blocks, ageMs }, kept, MAX_CONCURRENT);
    // A bound in bytes is one in blocks, as of now.
    const bytes =
      floor === 0n ? first : retainFrom({ blocks: newest + 1n - floor, ageMs: undefined }, kept, MAX_CONCURRENT);
    const wanted = limit > bytes ? limit : bytes;
    if (!evidence || wanted === first) return wanted;
    // Evidence counts until it is beyond both limits.
    const age = evidenceAge.get(state) ?? UNKNOWN_AGE;
    const byBlocks = retainFrom({ blocks: age.blocks, ageMs: undefined }, kept, MAX_CONCURRENT);
    const byTime = retainFrom({ blocks: undefined, ageMs: Number(age.nanos / 1_000_000n) }, kept, MAX_CONCURRENT);
    return [wanted, byBlocks, byTime].reduce((a, b) => (a < b ? a : b));
  }

  #pruneSpenders(state: StateWriter, { outcomes }: Executed): void {
    const { nonces } = this.#config;
    if (nonces === undefined) return;
    for (const outcome of outcomes) {
      if ('refused' in outcome || outcome.tx.nonce < nonces) continue;
      nonceSpenders.delete(state, [outcome.tx.signer, outcome.tx.nonce - nonces]);
    }
  }
}
