import { Code, ConnectError } from '@connectrpc/connect';
import type { Refusal, SequencerPosition } from '@switchyard/client';
import { type TxHash, txHashOf } from '@switchyard/protocol';
import { type Collector, PartlySubmitted, type SubmissionState } from '../app/collector.ts';

/**
 * How the composer behaves: `lost` takes a batch and then the answer gets lost, `broken` accepts nothing and answers
 * with an error that does not show it.
 */
export type ComposerMode = 'up' | 'down' | 'full' | 'lost' | 'broken';

/**
 * A composer in memory, whose faults are chosen by the test.
 * @example
 * ```ts
 * const composer = new FakeComposer();
 * composer.mode = 'down';
 * const node = await testNode(toRollup(counter, genesisText), { composer });
 * ```
 */
export class FakeComposer implements Collector {
  /** False makes it look like a composer with only the original service. */
  detectsCopies = true;
  /** Bytes that it took although it had them. */
  copies = 0;
  mode: ComposerMode = 'up';
  /** Submissions that it holds at most. */
  capacity = Number.POSITIVE_INFINITY;
  /** Calls to `submitBatch` so far, by number of items; failed ones included. */
  readonly calls: number[] = [];
  /** Refuses these, by hash. */
  readonly refused = new Map<TxHash, string>();
  readonly #queue = new Map<TxHash, Uint8Array>();
  readonly #sequenced = new Map<TxHash, bigint>();
  readonly #blocks = new Map<bigint, readonly Uint8Array[]>();

  /** Everything accepted and not yet sequenced, in order. */
  get queued(): readonly Uint8Array[] {
    return [...this.#queue.values()];
  }

  /** Puts the queue into a sequencer block. */
  sequence(height: bigint): readonly Uint8Array[] {
    const taken = this.queued;
    for (const hash of this.#queue.keys()) this.#sequenced.set(hash, height);
    this.#blocks.set(height, [...(this.#blocks.get(height) ?? []), ...taken]);
    this.#queue.clear();
    return taken;
  }

  /** Takes a submission like one of another client that submits directly. */
  accept(bytes: Uint8Array, executedHeight = 0n): void {
    const hash = txHashOf(bytes);
    if (!this.detectsCopies && (this.#queue.has(hash) || this.#sequenced.has(hash))) this.copies += 1;
    if ((this.#sequenced.get(hash) ?? 0n) <= executedHeight) this.#queue.set(hash, bytes);
  }

  /** Forgets everything, like a composer with a new disk. */
  forget(): void {
    for (const each of [this.#queue, this.#sequenced]) each.clear();
  }

  async submitBatch(data: readonly Uint8Array[], executedHeight: bigint): Promise<readonly Refusal[]> {
    if (!this.detectsCopies) return this.#oneAtATime(data);
    await new Promise(setImmediate);
    this.calls.push(data.length);
    this.#failUnless('up', 'lost');
    if (this.#queue.size + data.length > this.capacity)
      throw new ConnectError('the queue is full', Code.ResourceExhausted);
    const refusals: Refusal[] = [];
    for (const [index, bytes] of data.entries()) {
      const reason = this.refused.get(txHashOf(bytes));
      if (reason === undefined) this.accept(bytes, executedHeight);
      else refusals.push({ index, reason });
    }
    if (this.mode === 'lost') throw new ConnectError('the connection was cut', Code.Unavailable);
    return refusals;
  }

  async #oneAtATime(data: readonly Uint8Array[]): Promise<readonly Refusal[]> {
    for (const [index, bytes] of data.entries()) {
      await new Promise(setImmediate);
      this.calls.push(1);
      try {
        this.#failUnless('up', 'lost');
        this.accept(bytes);
        if (this.mode === 'lost') throw new ConnectError('the connection was cut', Code.Unavailable);
      } catch (error) {
        throw new PartlySubmitted(index, error);
      }
    }
    return [];
  }

  async submission(hash: TxHash): Promise<SubmissionState | undefined> {
    if (!this.detectsCopies) return undefined;
    await new Promise(setImmediate);
    this.#failUnless('up', 'full', 'lost');
    const reason = this.refused.get(hash);
    if (reason !== undefined) return { kind: 'refused', reason };
    if (this.#queue.has(hash)) return { kind: 'queued' };
    const height = this.#sequenced.get(hash);
    if (height !== undefined) return { kind: 'sequenced', height };
    return undefined;
  }

  async submissions(hashes: readonly TxHash[]): Promise<(SubmissionState | undefined)[]> {
    return Promise.all(hashes.map((hash) => this.submission(hash)));
  }

  /** If the sequencer is, to this composer's knowledge. */
  position: SequencerPosition | undefined;

  async sequencerBlock(): Promise<SequencerPosition | undefined> {
    await new Promise(setImmediate);
    this.#failUnless('up', 'full', 'lost');
    return this.position;
  }

  async *pending(executedHeight = 0n): AsyncGenerator<readonly Uint8Array[]> {
    await new Promise(setImmediate);
    this.#failUnless('up', 'full', 'lost');
    if (this.detectsCopies && executedHeight > 0n) {
      yield [...this.#blocks].filter(([height]) => height > executedHeight).flatMap(([, data]) => data);
    }
    if (this.detectsCopies) yield this.queued;
  }

  #failUnless(...modes: readonly ComposerMode[]): void {
    if (modes.includes(this.mode)) return;
    if (this.mode === 'full') throw new ConnectError('the queue is full', Code.ResourceExhausted);
    if (this.mode === 'broken') throw new ConnectError('reset', Code.Unavailable);
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    throw new ConnectError('connection refused', Code.Unavailable, undefined, undefined, cause);
  }
}
