import {
  type Clock,
  errorLine,
  isAbort,
  type Logger,
  Notifier,
  type RepeatedLines,
  repeatedWarnings,
  retry,
  sleep,
  systemClock,
} from '@switchyard/service';
import { type Collector, PartlySubmitted } from './collector.ts';
import { toFailure } from './collector-failure.ts';

/** Outcome of one transaction that was handed to the forwarder. */
export type Forwarded =
  /** On the composer's disk. */
  | { readonly kind: 'accepted' }
  /** The composer has it not and will not take it. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The composer has it not; the same bytes may be sent later. */
  | { readonly kind: 'unavailable'; readonly reason: string }
  /** The composer may have it: the node stops before it knows, or the composer cannot be queried twice. */
  | { readonly kind: 'unclear'; readonly reason: string };

export interface ForwarderDeps {
  readonly collector: Collector;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Height of the last block of the sequencer that is executed here. */
  executedHeight(): bigint;
  /** `onFound` gets the sequencer's entries above this height; above the executed one, if absent. */
  foundAbove?(): bigint;
  /** Why nothing should be sent although the composer is connected. */
  obstacle?(): string | undefined;
  /**
   * Called with the entries in blocks that are not executed here yet and with everything the composer holds, each
   * time a composer is found, before anything is sent to it.
   */
  onFound(pending: AsyncIterable<readonly Uint8Array[]>): Promise<void>;
}

export interface ForwarderBounds {
  readonly maxItems: number;
  readonly maxBytes: number;
}

interface Item {
  readonly bytes: Uint8Array;
  /** When it was admitted: a transaction in a block by then cannot be the represented one. */
  readonly executedHeight: bigint;
  settle(outcome: Forwarded): void;
}

const CALL_ITEMS = 4_096;
const CALL_BYTES = 1_048_576;
/** A call costs as much as many items, so calls follow each other no faster than this, unless this many items wait. */
const GATHER_MS = 4;
const GATHER_ITEMS = 256;
const UNREACHABLE = 'the composer is not reachable';
const STOPPING = 'the node is stopping';

/**
 * Passes transactions on to the composer, one call at a time; later ones go with the next call. So a
 * crowd of single submissions costs few calls, and the order of admission is kept. The first after a pause goes at once.
 *
 * While there is no composer it takes nothing. After a call whose answer got lost it sends the same batch again until
 * it knows: the composer recognises copies.
 */
export class Forwarder {
  readonly #deps: ForwarderDeps;
  readonly #bounds: ForwarderBounds;
  readonly #clock: Clock;
  readonly #arrived = new Notifier();
  readonly #rejections: RepeatedLines;
  #queue: Item[] = [];
  #queuedBytes = 0;
  #ready = false;
  #lastCallAt = Number.NEGATIVE_INFINITY;
  /** Fewer than usual after a call that the composer had no room for, which it takes as a whole or not at all. */
  #callItems = CALL_ITEMS;

  constructor(bounds: ForwarderBounds, deps: ForwarderDeps) {
    this.#bounds = bounds;
    this.#deps = deps;
    this.#clock = deps.clock ?? systemClock;
    this.#rejections = repeatedWarnings(deps.log, {
      one: 'composer rejected batch',
      several: 'composer rejected batches',
    });
  }

  /** Whether a submission would be sent on now. */
  get ready(): boolean {
    return this.#ready;
  }

  /** Why nothing is taken now; undefined when it is. */
  get trouble(): string | undefined {
    return this.#deps.obstacle?.() ?? (this.#ready ? undefined : UNREACHABLE);
  }

  /** Whether sending the same bytes again is safe. */
  get detectsCopies(): boolean {
    return this.#deps.collector.detectsCopies;
  }

  /** Why a submission of this many transactions and bytes would not be taken now. */
  refusal(items: number, bytes: number): string | undefined {
    const obstacle = this.#deps.obstacle?.();
    if (obstacle !== undefined) return obstacle;
    if (!this.#ready) return UNREACHABLE;
    const full =
      this.#queue.length + items > this.#bounds.maxItems || this.#queuedBytes + bytes > this.#bounds.maxBytes;
    return full ? 'too many submissions are waiting for the composer' : undefined;
  }

  /** Calls `settle` once, later or at once, when the outcome of the hand-over is known. */
  forward(bytes: Uint8Array, settle: (outcome: Forwarded) => void): void {
    const reason = this.refusal(1, bytes.length);
    if (reason !== undefined) {
      settle({ kind: 'unavailable', reason });
      return;
    }
    this.#queue.push({ bytes, executedHeight: this.#deps.executedHeight(), settle });
    this.#queuedBytes += bytes.length;
    this.#arrived.notify();
  }

  /** Works until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        await this.#find(signal);
        await this.#serve(signal);
      }
    } catch (error) {
      if (!isAbort(error, signal)) throw error;
    } finally {
      this.#ready = false;
      this.#settleAll(this.#take(this.#queue.length), { kind: 'unavailable', reason: STOPPING });
    }
  }

  async #find(signal: AbortSignal): Promise<void> {
    const { collector, executedHeight, foundAbove = executedHeight, log, onFound, random } = this.#deps;
    let logged = false;
    await retry(() => onFound(collector.pending(foundAbove(), signal)), {
      signal,
      initialMs: 50,
      maxMs: 1_000,
      clock: this.#clock,
      ...(random === undefined ? {} : { random }),
      onRetry: (error) => {
        if (!logged)
          log.warn({ error: errorLine(error) }, 'waiting for composer; submissions are refused until it answers');
        logged = true;
      },
    });
    this.#ready = true;
    log.info('connected to composer');
  }

  /** Sends until the composer is lost. */
  async #serve(signal: AbortSignal): Promise<void> {
    while (this.#ready) {
      while (this.#queue.length === 0) await this.#arrived.wait(signal);
      const pause = this.#lastCallAt + GATHER_MS - this.#clock.now();
      if (pause > 0 && this.#queue.length < GATHER_ITEMS) await sleep(pause, signal, this.#clock);
      this.#lastCallAt = this.#clock.now();
      await this.#send(this.#takeCall(), signal);
    }
  }

  /** Settles every item of the call. */
  async #send(call: readonly Item[], signal: AbortSignal): Promise<void> {
    const { collector, log, random } = this.#deps;
    const data = call.map(({ bytes }) => bytes);
    const executedHeight = call[0]?.executedHeight ?? 0n;
    let unclear = false;
    try {
      const refusals = await retry(() => collector.submitBatch(data, executedHeight, signal), {
        signal,
        initialMs: 50,
        maxMs: 1_000,
        clock: this.#clock,
        ...(random === undefined ? {} : { random }),
        // Once an answer is missing, only an answer ends this; a refused connection does not.
        retryIf: (error) =>
          collector.detectsCopies &&
          (toFailure(error) === 'unclear' || (unclear && toFailure(error) === 'unreachable')),
        onRetry: (error) => {
          if (!unclear) log.warn({ error: errorLine(error) }, 'composer did not answer; retrying until it does');
          unclear = true;
          this.#ready = false;
          this.#refuseWaiting(UNREACHABLE);
        },
      });
      if (unclear) log.info('reconnected to composer');
      this.#ready = true;
      // A smaller call shows nothing about the room for a larger one.
      if (call.length >= this.#callItems) this.#callItems = Math.min(CALL_ITEMS, 2 * this.#callItems);
      const reasons = new Map(refusals.map(({ index, reason }) => [index, reason]));
      call.forEach(({ settle }, index) => {
        const reason = reasons.get(index);
        settle(reason === undefined ? { kind: 'accepted' } : { kind: 'refused', reason });
      });
    } catch (error) {
      this.#failed(call, error, unclear, signal);
    }
  }

  /** Settles submissions of a failed call. @throws the reason of `signal` when that has aborted. */
  #failed(call: readonly Item[], error: unknown, isUnclear: boolean, signal: AbortSignal): void {
    const accepted = error instanceof PartlySubmitted ? error.accepted : 0;
    const cause = error instanceof PartlySubmitted ? error.cause : error;
    this.#settleAll(call.slice(0, accepted), { kind: 'accepted' });
    const open = call.slice(accepted);
    // A batch in one call may have arrived as a whole; one at a time, only the first of the remaining ones.
    const unconfirmed = error instanceof PartlySubmitted ? open.slice(0, 1) : open;
    const unsent = open.slice(unconfirmed.length);
    if (isAbort(cause, signal)) {
      this.#settleAll(unconfirmed, { kind: 'unclear', reason: STOPPING });
      this.#settleAll(unsent, { kind: 'unavailable', reason: STOPPING });
      throw cause;
    }
    // A composer that stops detecting copies while an answer is missing leaves it missing.
    const failure = isUnclear ? 'unclear' : toFailure(cause);
    const fields = { error: errorLine(cause), accepted, transactions: call.length };
    this.#rejections.add(failure, undefined, fields);
    if (toFailure(cause) === 'full') this.#callItems = Math.max(1, Math.floor(open.length / 2));
    const reason = { full: 'the composer is full', unreachable: UNREACHABLE }[String(failure)] ?? errorLine(cause);
    this.#ready = failure === 'full' || failure === 'refused';
    if (failure === 'refused' && error instanceof PartlySubmitted) {
      this.#settleAll(unconfirmed, { kind: 'refused', reason });
    } else this.#settleAll(unconfirmed, { kind: failure === 'unclear' ? 'unclear' : 'unavailable', reason });
    this.#settleAll(unsent, { kind: 'unavailable', reason });
    this.#refuseWaiting(reason);
  }

  /** Refuses waiting transactions, which must not overtake failed ones: later nonces would be left hanging. */
  #refuseWaiting(reason: string): void {
    this.#settleAll(this.#take(this.#queue.length), { kind: 'unavailable', reason });
  }

  #takeCall(): Item[] {
    let count = 0;
    let bytes = 0;
    const height = this.#queue[0]?.executedHeight;
    for (const item of this.#queue) {
      if (item.executedHeight !== height || count === this.#callItems) break;
      if (count > 0 && bytes + item.bytes.length > CALL_BYTES) break;
      count += 1;
      bytes += item.bytes.length;
    }
    return this.#take(count);
  }

  #take(count: number): Item[] {
    const taken = this.#queue.splice(0, count);
    for (const { bytes } of taken) this.#queuedBytes -= bytes.length;
    return taken;
  }

  #settleAll(items: readonly Item[], outcome: Forwarded): void {
    for (const { settle } of items) settle(outcome);
  }
}
