/** Blocks become batches, while the batch before is being posted. */
import { Alarm, type Clock, Notifier } from '@switchyard/service';
import { type Batch, BatchBuilder, type BatchOptions } from './batch.ts';
import type { PostableBlock } from './postable.ts';
import type { Position } from './state.ts';

export interface CollectorOptions extends BatchOptions {
  /** How long a block with data of rollups waits for others. */
  readonly batchMs: number;
  /** Size of the blocks that wait; reading pauses at that. */
  readonly maxWaitingBytes: number;
}

const MAX_WAITING_BLOCKS = 4_096;
/** No user waits for blocks without data of rollups: many share a transaction, and one with data takes them along at once. */
const EMPTY_WAITS_TIMES = 30;
const EMPTY_WAITS_MOST_MS = 30_000;

/** One task pushes, one runs it, one takes. */
export class Collector {
  readonly #options: CollectorOptions;
  readonly #clock: Clock;
  readonly #alarm: Alarm;
  readonly #taken = new Notifier();
  #waiting: { readonly block: PostableBlock; readonly since: number }[] = [];
  #waitingBytes = 0;
  #builder: BatchBuilder;
  /** When the batch is posted at the latest; undefined while it is empty. */
  #due: number | undefined;
  #deliver: ((batch: Batch) => void) | undefined;
  #isHeldUp = false;

  constructor(from: Position, options: CollectorOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#alarm = new Alarm(clock);
    this.#builder = new BatchBuilder(from, options);
  }

  /** Blocks that are in no batch yet. */
  get waiting(): { readonly blocks: number; readonly bytes: number } {
    return { blocks: this.#waiting.length, bytes: this.#waitingBytes };
  }

  /** Reading waits for posting. */
  get isHeldUp(): boolean {
    return this.#isHeldUp;
  }

  /** Resolves as soon as there is room. */
  async push(block: PostableBlock, signal: AbortSignal): Promise<void> {
    this.#isHeldUp = true;
    while (!this.#hasRoom(block)) await this.#taken.wait(signal);
    this.#isHeldUp = false;
    this.#waiting.push({ block, since: this.#clock.now() });
    this.#waitingBytes += block.bytes;
    this.#alarm.ring();
  }

  /** The next batch, once it is full or its first block has waited for the permitted time. */
  take(signal: AbortSignal): Promise<Batch> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const abort = () => reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      this.#deliver = (batch) => {
        signal.removeEventListener('abort', abort);
        resolve(batch);
      };
      this.#alarm.ring();
    });
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const [first] = this.#waiting;
      if (first !== undefined && !this.#builder.isFull) await this.#add(first);
      else if (this.#deliver !== undefined && this.#dueInMs() <= 0) await this.#close(this.#deliver);
      else await this.#alarm.wait(this.#deliver === undefined ? IDLE_MS : this.#dueInMs(), signal);
    }
  }

  async #add({ block, since }: { readonly block: PostableBlock; readonly since: number }): Promise<void> {
    const { height, entry } = this.#builder.to;
    await this.#builder.add(block);
    const { to } = this.#builder;
    if (to.height !== height || to.entry !== entry) {
      this.#due = Math.min(this.#due ?? Number.POSITIVE_INFINITY, since + this.#waitMs(block));
    }
    if (to.height === height) return;
    this.#waiting.shift();
    this.#waitingBytes -= block.bytes;
    this.#taken.notify();
  }

  async #close(deliver: (batch: Batch) => void): Promise<void> {
    const builder = this.#builder;
    this.#deliver = undefined;
    const batch = await builder.finish();
    this.#builder = new BatchBuilder(builder.to, this.#options);
    this.#due = undefined;
    deliver(batch);
  }

  #dueInMs(): number {
    if (this.#builder.isFull) return 0;
    return this.#due === undefined ? IDLE_MS : this.#due - this.#clock.now();
  }

  #waitMs({ rollups }: PostableBlock): number {
    const { batchMs } = this.#options;
    if (rollups.some((part) => part !== undefined)) return batchMs;
    return Math.max(batchMs, Math.min(batchMs * EMPTY_WAITS_TIMES, EMPTY_WAITS_MOST_MS));
  }

  #hasRoom({ bytes }: PostableBlock): boolean {
    if (this.#waiting.length === 0) return true;
    return this.#waiting.length < MAX_WAITING_BLOCKS && this.#waitingBytes + bytes <= this.#options.maxWaitingBytes;
  }
}

/** Idle time between two looks; woken early by `alarm.ring()`. */
const IDLE_MS = 60_000;
