/** Brings batches into the layer: takes the steps of the plan, and records facts that must not be forgotten. */
import { DaTooExpensive, type DaWriter, type PreparedBlobs } from '@switchyard/da';
import { Alarm, type Clock, errorLine, type WallClock, withDeadline } from '@switchyard/service';
import type { Batch } from './batch.ts';
import {
  afterEvent,
  hasRoom,
  type InFlight,
  nextSteps,
  type Posting,
  type PostingEvent,
  pauseMs,
  type Step,
  startPosting,
} from './plan.ts';
import { newlyPosted } from './posted.ts';
import type { Progress } from './progress.ts';
import { type Pending, type RelayerState, settled } from './state.ts';
import type { StateStore } from './store.ts';

export interface PosterDeps {
  readonly writer: DaWriter;
  readonly store: Pick<StateStore, 'write'>;
  /** Transactions that may be under way at a time. */
  readonly inFlight: number;
  /** The next batch, from the end of the one before. Called again once that was given. */
  take(signal: AbortSignal): Promise<Batch>;
  readonly clock: Clock;
  readonly wall: WallClock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly progress: Pick<Progress, 'observe' | 'reportState' | 'reportIncluded'>;
}

/** A node that does not answer for this long is queried again. */
const CALL_MS = 60_000;
/** Idle time between two looks; woken early by `alarm.ring()`. */
const IDLE_MS = 60_000;

/** Runs until the signal aborts. What the layer does is waited out. @throws {StoreNotWritten}, or the reason of the signal. */
export async function postAll(first: RelayerState, deps: PosterDeps): Promise<never> {
  const { clock, signal } = deps;
  const poster = new Poster(first, deps);
  for (;;) {
    poster.takeBatch();
    const next = poster.nextStep();
    const inMs = next === undefined ? IDLE_MS : next.at - clock.now();
    if (next === undefined || inMs > 0) await poster.alarm.wait(inMs, signal);
    else await poster.take(next);
    signal.throwIfAborted();
  }
}

type Planned = Step & { readonly at: number };

class Poster {
  readonly alarm: Alarm;
  readonly #deps: PosterDeps;
  #state: RelayerState;
  #flight: readonly InFlight[];
  #isTaking = false;

  constructor(state: RelayerState, deps: PosterDeps) {
    this.#deps = deps;
    this.#state = state;
    this.alarm = new Alarm(deps.clock);
    const dueAt = deps.clock.now();
    this.#flight = state.pending.map((pending) => {
      const posting = { ...startPosting(true), isIncluded: pending.daHeight !== undefined };
      return { posting, pending, batch: undefined, dueAt };
    });
  }

  /** Asks for the next batch, if there is room for it. */
  takeBatch(): void {
    const { take, signal, inFlight, clock } = this.#deps;
    if (this.#isTaking || !hasRoom(this.#postings(), inFlight)) return;
    this.#isTaking = true;
    void take(signal).then(
      (batch) => {
        this.#isTaking = false;
        const dueAt = clock.now();
        this.#flight = [...this.#flight, { posting: startPosting(false), pending: undefined, batch, dueAt }];
        this.alarm.ring();
      },
      // Only the signal ends it.
      () => undefined,
    );
  }

  /** The step that is due first. */
  nextStep(): Planned | undefined {
    let soonest: Planned | undefined;
    for (const step of nextSteps(this.#postings())) {
      const { dueAt: at } = this.#at(step.index);
      if (soonest === undefined || at < soonest.at) soonest = { ...step, at };
    }
    return soonest;
  }

  async take({ kind, index }: Step): Promise<void> {
    const { writer, progress, signal } = this.#deps;
    const { pending, batch } = this.#at(index);
    const done = await attempt(kind, this.#at(index), writer, signal);
    signal.throwIfAborted();
    if (done.kind === 'prepared') {
      const { to, hash } = pending ?? batch ?? absent();
      this.#after(index, { kind: 'signed' }, { ...done.prepared, to, hash, daHeight: undefined });
      // Once it is sent, only this record makes sure that nothing else is signed for the same blocks.
      await this.#write();
      progress.observe(this.#flight, this.#at(index), { kind: 'signed' });
    } else if (done.kind === 'answer' && done.outcome.kind === 'included') {
      const included = { ...(pending ?? absent()), daHeight: done.outcome.height };
      this.#after(index, done, included);
      await this.#write();
      progress.reportIncluded(included, batch);
    } else {
      this.#after(index, done, pending);
      progress.observe(this.#flight, this.#at(index), done);
    }
  }

  #after(index: number, event: PostingEvent, pending: Pending | undefined): void {
    const { clock, random } = this.#deps;
    const postings = afterEvent(this.#postings(), index, event);
    this.#flight = this.#flight.map((each, at) => {
      const posting = postings[at];
      if (posting === undefined || posting === each.posting) return each;
      return { ...each, posting, dueAt: clock.now() + pauseMs(posting, random), ...(at === index && { pending }) };
    });
  }

  async #write(): Promise<void> {
    const pending = this.#flight.flatMap((each) => each.pending ?? []);
    const posted = newlyPosted(this.#state, pending, this.#deps.wall.unixMs());
    this.#state = settled(this.#state, pending);
    await this.#deps.store.write(this.#state, posted);
    const waiting = this.#flight.findIndex(({ posting }) => !posting.isIncluded);
    this.#flight = waiting < 0 ? [] : this.#flight.slice(waiting);
    this.#deps.progress.reportState(this.#state, this.#flight);
  }

  #postings(): readonly Posting[] {
    return this.#flight.map(({ posting }) => posting);
  }

  #at(index: number): InFlight {
    return this.#flight[index] ?? absent();
  }
}

function absent(): never {
  throw new Error('no transaction is under way');
}

type Attempt = PostingEvent | { readonly kind: 'prepared'; readonly prepared: PreparedBlobs };

async function attempt(
  step: Step['kind'],
  { pending, batch }: InFlight,
  writer: DaWriter,
  signal: AbortSignal,
): Promise<Attempt> {
  try {
    return await withDeadline({ ms: CALL_MS, signal, what: 'the call to the layer' }, async (cut): Promise<Attempt> => {
      if (step === 'sign') {
        const blobs = pending === undefined ? (batch?.blobs ?? absent()) : writer.getBlobs(pending);
        return { kind: 'prepared', prepared: await writer.prepare(blobs, cut) };
      }
      if (pending === undefined) return absent();
      if (step === 'ask') return { kind: 'answer', outcome: await writer.outcome(pending, cut) };
      await writer.submit(pending, cut);
      return { kind: 'submitted' };
    });
  } catch (error) {
    return { kind: 'failed', reason: error instanceof DaTooExpensive ? error.message : errorLine(error) };
  }
}
