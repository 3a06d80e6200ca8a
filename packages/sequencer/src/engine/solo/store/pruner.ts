import { txHashesOf } from './index-entry.ts';
import { decodeHead } from './record.ts';
import type { StoredRange, StoreFiles } from './store-files.ts';

/** Heights that are removed from the index before other work gets its turn. */
const REMOVED_PER_TURN = 32n;

/** Deletes the oldest files of the log, one at a time. */
export class Pruner {
  readonly #files: StoreFiles;
  readonly #range: StoredRange;
  #below = 0n;
  #pruning: Promise<void> | undefined;
  #closing = false;

  /** @param range Its `first` moves before anything is removed. */
  constructor(files: StoreFiles, range: StoredRange) {
    this.#files = files;
    this.#range = range;
  }

  /** Height from which at most so many bytes are stored, in whole files; 0 if no file has to be deleted. */
  floorFor(bytes: number): bigint {
    const { segments } = this.#files;
    let left = bytes;
    let floor = 0n;
    for (const first of [...segments.all].reverse()) {
      left -= segments.length(first);
      if (left < 0) break;
      floor = BigInt(first);
    }
    return floor <= this.#range.first ? 0n : floor;
  }

  /** Deletes files that hold only heights below this one, never the last. A call during another only moves the bound. */
  prune(below: bigint): Promise<void> {
    this.#below = below;
    this.#pruning ??= this.#run().finally(() => {
      this.#pruning = undefined;
    });
    return this.#pruning;
  }

  /** Stops after the present turn; the rest is done after the next start. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#pruning?.catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { segments, index } = this.#files;
    for (;;) {
      const [oldest, next] = segments.all;
      if (this.#closing || oldest === undefined || next === undefined || BigInt(next) > this.#below) return;
      // Blocks become unreadable, then leave the index, then the disk. A process killed in between repeats all of it.
      this.#range.first = BigInt(next);
      index.startAt(BigInt(next));
      for (let height = BigInt(oldest); height < BigInt(next); height += 1n) {
        this.#removeFromIndex(height);
        if (height % REMOVED_PER_TURN !== 0n) continue;
        if (index.isFull) await index.flush();
        await new Promise((resolve) => setImmediate(resolve));
        if (this.#closing) return;
      }
      await index.flush();
      await segments.deleteOldest();
    }
  }

  #removeFromIndex(height: bigint): void {
    const { index, log } = this.#files;
    const place = index.place(height);
    const bytes = place && log.wholeAt(place);
    const head = bytes && decodeHead(bytes);
    if (bytes === undefined || head === undefined) return;
    index.remove({ height, hash: head.hash, txHashes: txHashesOf(head, bytes) });
  }
}
