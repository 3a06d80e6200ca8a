import { Rejected } from '@switchyard/protocol';
import { Turns } from '../connections/turns.ts';
import type { Requester } from '../http/http-direct.ts';
import type { Clock } from '../timing/clock.ts';
import { internalError } from './error.ts';

/** Text to send. */
export interface AnswerText {
  readonly text: string;
  /** In place of the text, if it is there as bytes. */
  readonly pieces?: readonly Uint8Array[] | undefined;
}

/** With a function to call once it has left or never will. */
export interface Answer extends AnswerText {
  readonly release?: () => void;
}

export function computeLength({ text, pieces }: AnswerText): number {
  return pieces === undefined ? text.length : pieces.reduce((sum, { length }) => sum + length, 0);
}

const MAX_HELD_BYTES = 64 * 1024 * 1024;
const MAX_MAKING = 4;
const MAX_WAITING = 256;
/** Time that a reader has to take an answer while others wait for the memory. */
const PATIENCE_MS = 1_000;

/** Client over any protocol that asks for a large answer. */
export type LargeReader = Pick<Requester, 'peer' | 'cutOff'>;

/** Place of an answer that may be large, from before it is made until it has been read. */
export interface Place {
  /** The answer is there, and this long. */
  made(bytes: number): void;
  /** It has been read, has failed, or its reader has gone. May be called more than once. */
  leave(): void;
}

interface Held {
  readonly reader: LargeReader;
  readonly bytes: number;
  readonly since: number;
}

interface Waiting {
  readonly reader: LargeReader;
  wake(): void;
  refuse(): void;
}

const TOO_MANY = internalError('too many requests for large answers at once, try again');

/**
 * Bounds the memory of answers that may be megabytes long, and the time that is spent on them at a time: few are made at
 * once, those of peers with fewest first, and while much of the data has not been taken by its readers, the next ones
 * wait. A client that does not read its answers is cut off when others wait, so clients that never read
 * cannot keep others from blocks. Small answers never come here.
 */
export class LargeAnswers {
  readonly #clock: Clock;
  readonly #turns: Turns;
  readonly #held = new Set<Held>();
  readonly #waiting: Waiting[] = [];
  /** Readers whose answers are being made. */
  readonly #making = new Set<LargeReader>();
  #bytes = 0;
  #cancelLook: (() => void) | undefined;

  /** @param clock Only differences of its `now()` count. @param turns Each answer is begun in one. */
  constructor(clock: Clock, turns = new Turns()) {
    this.#clock = clock;
    this.#turns = turns;
  }

  /** @throws {JsonRpcError} when too many wait already, and any error of `make`. */
  async make(reader: LargeReader, make: () => Promise<AnswerText>) {
    const place = await this.enter(reader).catch((error: unknown) => {
      throw error instanceof Rejected ? TOO_MANY : error;
    });
    try {
      const made = await make();
      place.made(computeLength(made));
      return { ...made, release: () => place.leave() };
    } catch (error) {
      place.leave();
      throw error;
    }
  }

  /** Resolves when the answer may be made, if its reader is still there. @throws {Rejected} when too many wait already. */
  async enter(from: LargeReader): Promise<Place> {
    // A reader of its own for each answer: one connection may ask for several.
    const reader: LargeReader = { peer: from.peer, cutOff: () => from.cutOff() };
    if (this.#isFree()) this.#making.add(reader);
    else {
      await new Promise<void>((resolve, reject) => {
        this.#waiting.push({
          reader,
          wake: resolve,
          refuse: () => reject(new Rejected('limit-reached', { largeAnswersThatWait: MAX_WAITING })),
        });
        if (this.#waiting.length > MAX_WAITING) this.#refuseOne();
        this.#look();
      });
    }
    await this.#turns.take();
    let held: Held | undefined;
    return {
      made: (bytes) => {
        if (!this.#making.delete(reader)) return;
        held = { reader, bytes, since: this.#clock.now() };
        this.#held.add(held);
        this.#bytes += bytes;
        this.#next();
      },
      leave: () => {
        if (held !== undefined) this.#release(held);
        else if (this.#making.delete(reader)) this.#next();
      },
    };
  }

  #release(held: Held): void {
    if (!this.#held.delete(held)) return;
    this.#bytes -= held.bytes;
    this.#next();
  }

  /** The newest of the peer of which most wait. */
  #refuseOne(): void {
    const counts = new Map<string, number>();
    for (const { reader } of this.#waiting) counts.set(reader.peer, (counts.get(reader.peer) ?? 0) + 1);
    const [greediest] = most(counts);
    const at = this.#waiting.findLastIndex(({ reader }) => reader.peer === greediest);
    for (const { refuse } of this.#waiting.splice(at, 1)) refuse();
  }

  #next(): void {
    while (this.#isFree()) {
      const [next] = this.#waiting.splice(this.#mostDeserving(), 1);
      if (next === undefined) return;
      this.#making.add(next.reader);
      next.wake();
    }
    this.#look();
  }

  /** Index of the first waiting request of the peer for which fewest answers are being made. */
  #mostDeserving(): number {
    const counts = new Map<string, number>();
    for (const { peer } of this.#making) counts.set(peer, (counts.get(peer) ?? 0) + 1);
    const made = this.#waiting.map(({ reader }) => counts.get(reader.peer) ?? 0);
    return made.reduce((best, count, at) => (count < (made[best] ?? 0) ? at : best), 0);
  }

  /** Makes room for waiting requests: cuts off the reader whose time is up, or looks again when it will be. */
  #look(): void {
    if (this.#waiting.length === 0 || this.#bytes < MAX_HELD_BYTES || this.#cancelLook !== undefined) return;
    const oldest = oldestOfGreediest(this.#held);
    if (oldest === undefined) return;
    this.#cancelLook = this.#clock.after(Math.max(0, oldest.since + PATIENCE_MS - this.#clock.now()), () => {
      this.#cancelLook = undefined;
      // It may have been read in the meantime.
      if (this.#held.has(oldest) && this.#bytes >= MAX_HELD_BYTES && this.#waiting.length > 0) {
        oldest.reader.cutOff();
        this.#release(oldest);
      }
      this.#look();
    });
  }

  #isFree(): boolean {
    return this.#making.size < MAX_MAKING && this.#bytes < MAX_HELD_BYTES;
  }
}

/** The answer that waits for longest, of the peer whose answers are longest together. */
function oldestOfGreediest(held: ReadonlySet<Held>): Held | undefined {
  const bytes = new Map<string, number>();
  for (const { reader, bytes: own } of held) bytes.set(reader.peer, (bytes.get(reader.peer) ?? 0) + own);
  const [greediest] = most(bytes);
  // In the order in which they were made.
  return [...held].find(({ reader }) => reader.peer === greediest);
}

function most(amounts: ReadonlyMap<string, number>): readonly [string | undefined, number] {
  let found: readonly [string | undefined, number] = [undefined, -1];
  for (const each of amounts) if (each[1] > found[1]) found = each;
  return found;
}
