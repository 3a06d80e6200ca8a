import { Notifier } from '@switchyard/service';
import type { VerifiedBlock } from './verify.ts';

export interface BufferBounds {
  readonly maxBlocks: number;
  readonly maxBytes: number;
}

/** Verified blocks between their reader and their executor. When full, reading waits. */
export class BlockBuffer<Block extends VerifiedBlock = VerifiedBlock> {
  readonly #bounds: BufferBounds;
  readonly #arrived: Notifier;
  readonly #taken = new Notifier();
  #blocks: Block[] = [];
  #bytes = 0;

  /** @param arrived Woken at each arrival; of this buffer alone, if absent. */
  constructor(bounds: BufferBounds, arrived = new Notifier()) {
    this.#bounds = bounds;
    this.#arrived = arrived;
  }

  /** In order of arrival. */
  get waiting(): readonly Block[] {
    return this.#blocks;
  }

  /** Resolves as soon as the block is in. A block over the bound on bytes fits when it is alone. */
  async push(block: Block, signal: AbortSignal): Promise<void> {
    while (!this.#fits(block)) await this.#taken.wait(signal);
    this.#blocks.push(block);
    this.#bytes += block.bytes;
    this.#arrived.notify();
  }

  /** Resolves at the next arrival. */
  arrival(signal: AbortSignal): Promise<void> {
    return this.#arrived.wait(signal);
  }

  /** Removes the oldest `count`. */
  take(count: number): readonly Block[] {
    const taken = this.#blocks.slice(0, count);
    this.#blocks = this.#blocks.slice(count);
    for (const { bytes } of taken) this.#bytes -= bytes;
    this.#taken.notify();
    return taken;
  }

  #fits({ bytes }: Block): boolean {
    if (this.#blocks.length === 0) return true;
    return this.#blocks.length < this.#bounds.maxBlocks && this.#bytes + bytes <= this.#bounds.maxBytes;
  }
}
