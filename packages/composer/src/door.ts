import { Rejected, type RollupId, txHashOf } from '@switchyard/protocol';
import type { Backlog, Chunk, Item } from './backlog.ts';
import type { Journal } from './journal.ts';

export interface DoorConfig {
  /** Longest data of one submission. */
  readonly maxItemBytes: number;
  /** Items, and bytes of data, that may be accepted and not yet in a block. */
  readonly maxItems: number;
  readonly maxBytes: number;
}

export interface DoorDeps {
  readonly backlog: Backlog;
  readonly journal: Journal;
  /** Called when accepted items are on disk. */
  readonly onAccepted: () => void;
  /** Called when the disk refuses: what was accepted is not certain any more, so the process must end. */
  readonly onFailure: (error: unknown) => void;
}

/** The queue has no room. Nothing was taken. */
export class Full extends Error {
  override readonly name = 'Full';
}

interface Waiting {
  readonly items: readonly Item[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Takes submissions in: what it resolves for is on disk. Everything that arrives while a write is under way goes into the
 * next one, so a thousand small calls do not cost a thousand flushes.
 */
export class Door {
  readonly #config: DoorConfig;
  readonly #deps: DoorDeps;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #nextChunk: number;
  /** Of what is not in the backlog yet. */
  #arriving = { items: 0, bytes: 0, hashes: new Set<string>() };
  #accepted = 0;

  constructor(config: DoorConfig, deps: DoorDeps, nextChunk: number) {
    this.#config = config;
    this.#deps = deps;
    this.#nextChunk = nextChunk;
  }

  get accepted(): number {
    return this.#accepted;
  }

  get isFull(): boolean {
    const { backlog } = this.#deps;
    return backlog.count >= this.#config.maxItems || backlog.bytes >= this.#config.maxBytes;
  }

  /** Why a submission can never be accepted. */
  refusal(data: Uint8Array): string | undefined {
    const { maxItemBytes } = this.#config;
    if (data.length === 0) return 'the data is empty, expected at least 1 byte';
    if (data.length > maxItemBytes) return `the data has ${data.length} bytes, expected at most ${maxItemBytes}`;
    return undefined;
  }

  /**
   * Resolves when all of `data` is on disk.
   *
   * @param skipKnown Bytes that are here already for the same rollup are not taken a second time.
   * @throws {Rejected} `empty` or `too-large`, for data that `refusal` names. {@link Full}
   */
  async accept(rollup: RollupId, data: readonly Uint8Array[], skipKnown: boolean): Promise<void> {
    const items: Item[] = [];
    const inBatch = new Set<string>();
    let waitFor: Promise<void> | undefined;
    for (const bytes of data) {
      const problem = this.refusal(bytes);
      if (problem !== undefined) throw new Rejected(bytes.length === 0 ? 'empty' : 'too-large', { problem });
      const item = { rollup, data: bytes, hash: txHashOf(bytes) };
      if (skipKnown) {
        const key = rollup + item.hash;
        if (inBatch.has(key) || this.#deps.backlog.find(rollup, item.hash) !== undefined) continue;
        if (this.#arriving.hashes.has(key)) {
          // On its way to disk: this call may only be answered when it is there.
          waitFor = this.#written();
          continue;
        }
        inBatch.add(key);
      }
      items.push(item);
    }
    await Promise.all([waitFor, items.length > 0 ? this.#take(items) : undefined]);
  }

  #take(items: readonly Item[]): Promise<void> {
    const { backlog } = this.#deps;
    const bytes = items.reduce((sum, { data }) => sum + data.length, 0);
    if (backlog.count + this.#arriving.items + items.length > this.#config.maxItems) {
      throw new Full(`the queue holds ${backlog.count} of ${this.#config.maxItems} submissions; try again later`);
    }
    if (backlog.bytes + this.#arriving.bytes + bytes > this.#config.maxBytes) {
      throw new Full(`the queue holds ${backlog.bytes} of ${this.#config.maxBytes} bytes; try again later`);
    }
    this.#arriving.items += items.length;
    this.#arriving.bytes += bytes;
    for (const { rollup, hash } of items) this.#arriving.hashes.add(rollup + hash);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ items, resolve, reject });
      this.#writing ??= this.#write();
    });
  }

  /** Resolves when everything that has arrived by now is on disk. */
  #written(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ items: [], resolve, reject });
      this.#writing ??= this.#write();
    });
  }

  async #write(): Promise<void> {
    // What arrives in the same turn joins the first write.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      const chunk: Chunk = { id: this.#nextChunk, items: group.flatMap(({ items }) => items) };
      try {
        if (chunk.items.length > 0) await this.#keep(chunk);
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
        this.#deps.onFailure(error);
      }
    }
    this.#writing = undefined;
  }

  async #keep(chunk: Chunk): Promise<void> {
    const { backlog, journal, onAccepted } = this.#deps;
    this.#nextChunk += 1;
    await journal.accept(chunk);
    for (const { rollup, hash, data } of chunk.items) {
      this.#arriving.items -= 1;
      this.#arriving.bytes -= data.length;
      this.#arriving.hashes.delete(rollup + hash);
    }
    backlog.add(chunk);
    this.#accepted += chunk.items.length;
    onAccepted();
  }
}
