import { Notifier } from '@switchyard/service';

/** Something that grows with commits, read from any place on. */
export interface FeedSource<C> {
  /** Text of a place, equal for equal places. */
  getKey(place: C): string;
  /** Frames from a place on, as many as fit in one answer, and the place behind them; undefined while there is nothing. */
  read(place: C): { readonly frames: string; readonly next: C } | undefined;
}

const MAX_REMEMBERED = 64;
const encoder = new TextEncoder();

/** Reads a source for many clients: events for readers at the same place are made once. */
export class Feed<C> {
  readonly #source: FeedSource<C>;
  readonly #changed = new Notifier();
  readonly #made = new Map<string, { readonly bytes: Uint8Array; readonly next: C } | undefined>();

  constructor(source: FeedSource<C>) {
    this.#source = source;
  }

  /** There may be more now. */
  changed(): void {
    this.#made.clear();
    this.#changed.notify();
  }

  /** A function that a stream calls for its next frames, from `place` on. */
  from(place: C): (signal: AbortSignal) => Promise<Uint8Array> {
    let at = place;
    return async (signal) => {
      for (;;) {
        const read = this.#read(at);
        if (read !== undefined) {
          at = read.next;
          if (read.bytes.length > 0) return read.bytes;
        } else await this.#changed.wait(signal);
      }
    };
  }

  #read(place: C) {
    const key = this.#source.getKey(place);
    if (this.#made.has(key)) return this.#made.get(key);
    const read = this.#source.read(place);
    const made = read && { bytes: encoder.encode(read.frames), next: read.next };
    if (this.#made.size < MAX_REMEMBERED) this.#made.set(key, made);
    return made;
  }
}
