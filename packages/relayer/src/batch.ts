/** Content of one transaction: consecutive blocks, or a part of a large one. */
import { MOST_LIST_BYTES, MOST_LIST_TRANSACTIONS } from '@switchyard/protocol';
import type { Namespace } from '@switchyard/protocol/celestia';
import { CompressedList, compressed, compressedBound } from './compressed-list.ts';
import type { Part, PostableBlock, PostableOptions, RollupPart } from './postable.ts';
import type { Position } from './state.ts';

export interface Batch {
  readonly from: Position;
  readonly to: Position;
  /** Hash of the block before `to`, if this batch completes it. */
  readonly hash: Uint8Array | undefined;
  readonly blobs: readonly { readonly namespace: Namespace; readonly data: Uint8Array }[];
  /** Size of the rollups' data, before compression. */
  readonly rollupBytes: number;
}

export interface BatchOptions extends Pick<PostableOptions, 'leftOut'> {
  /** Compressed, of all blobs of a batch. Only the data of one rollup in one block, which cannot be divided, may exceed it. */
  readonly maxBytes: number;
  /** Compressed, that the layer takes at all. */
  readonly mostBytes: number;
}

/** A transaction of Celestia has 8 MiB, of which its shares take some. */
export const MOST_BYTES = 7_800_000;
/** Size of all blobs of a batch before compression, so that with any block on top readers still open them. */
const MOST_RAW_BYTES = MOST_LIST_BYTES / 2;
const MOST_TRANSACTIONS = MOST_LIST_TRANSACTIONS / 2;

/** Takes blocks in order until it is full. */
export class BatchBuilder {
  readonly #options: BatchOptions;
  readonly #from: Position;
  readonly #lists = new Map<Namespace, CompressedList>();
  #to: Position;
  #hash: Uint8Array | undefined;
  #rollupBytes = 0;
  #transactions = 0;
  #isFull = false;

  constructor(from: Position, options: BatchOptions) {
    this.#from = from;
    this.#to = from;
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#to === this.#from;
  }

  /** It takes no other block. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Place of the next block, or of the rest of this one. */
  get to(): Position {
    return this.#to;
  }

  /**
   * Takes the block, from {@link to} on. A block that does not fit leaves the batch full and unchanged; an empty batch takes as
   * much of such a block as fits, so that there is progress regardless of its size.
   */
  async add(block: PostableBlock): Promise<void> {
    const { height, entry } = this.#to;
    if (block.height !== height) throw new Error(`block ${block.height}, expected ${height}`);
    const metadata = this.isEmpty ? block.metadataWithValidators : block.metadata;
    const rollups = block.rollups.slice(entry);
    const parts = [metadata, ...rollups.filter((part) => part !== undefined)];
    if (await this.#fits(parts)) {
      for (const part of parts) this.#take(part);
      this.#move(block, rollups.length);
      return;
    }
    this.#isFull = true;
    if (!this.isEmpty) return;
    // It stands in each transaction that has data of its block: some readers look for both at one height.
    this.#take(metadata);
    this.#move(block, await this.#addSome(block, rollups));
  }

  /** Nothing may be added after that. */
  async finish(): Promise<Batch> {
    const blobs = [];
    for (const [namespace, list] of this.#lists) blobs.push({ namespace, data: await list.finish() });
    return { from: this.#from, to: this.#to, hash: this.#hash, blobs, rollupBytes: this.#rollupBytes };
  }

  /** @returns how many, at least one. */
  async #addSome({ height, metadata }: PostableBlock, rollups: readonly (RollupPart | undefined)[]): Promise<number> {
    const room = this.#options.mostBytes - compressedBound(metadata.list.length);
    let isAlone = true;
    for (const [index, part] of rollups.entries()) {
      if (part === undefined) continue;
      const fits = await this.#fits([part]);
      if (!fits && !isAlone) return index;
      if (!fits && (await computeSize(part)) > room) this.#options.leftOut(part.rollup, height, 'too-large');
      else {
        this.#take(part);
        isAlone = false;
      }
    }
    return rollups.length;
  }

  #move({ height, hash, rollups }: PostableBlock, count: number): void {
    const entry = this.#to.entry + count;
    const isWhole = entry === rollups.length;
    this.#to = isWhole ? { height: height + 1n, entry: 0 } : { height, entry };
    if (isWhole) this.#hash = hash;
  }

  /** The dearer a bound is, the closer it is; most blocks fit by the first. */
  async #fits(parts: readonly Part[]): Promise<boolean> {
    const { maxBytes } = this.#options;
    if (this.#isLong(parts)) return false;
    const raw = parts.reduce((sum, { list }) => sum + compressedBound(list.length), 0);
    if (this.#bound() + raw <= maxBytes) return true;
    for (const list of this.#lists.values()) await list.measure();
    const bound = this.#bound();
    if (bound + raw <= maxBytes) return true;
    let alone = 0;
    for (const part of parts) {
      alone += await computeSize(part);
      if (bound + alone > maxBytes) return false;
    }
    return true;
  }

  /** Highly compressible data, or very many transactions: more than readers accept in one list. */
  #isLong(parts: readonly (Part | RollupPart)[]): boolean {
    let bytes = 0;
    let transactions = this.#transactions;
    for (const list of this.#lists.values()) bytes += list.bytes;
    for (const part of parts) {
      bytes += part.list.length;
      if ('transactions' in part) transactions += part.transactions;
    }
    return !this.isEmpty && (bytes > MOST_RAW_BYTES || transactions > MOST_TRANSACTIONS);
  }

  #bound(): number {
    let bound = 0;
    for (const list of this.#lists.values()) bound += list.bound;
    return bound;
  }

  #take(part: Part | RollupPart): void {
    let list = this.#lists.get(part.namespace);
    if (list === undefined) {
      list = new CompressedList();
      this.#lists.set(part.namespace, list);
    }
    list.push(part.list);
    if (!('rollupBytes' in part)) return;
    this.#rollupBytes += part.rollupBytes;
    this.#transactions += part.transactions;
  }
}

/** Size of a part alone, which is no less than together with others. */
async function computeSize({ list }: Part): Promise<number> {
  return compressedBound((await compressed(list)).length);
}
