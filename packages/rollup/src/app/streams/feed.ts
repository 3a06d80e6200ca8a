import { Notifier } from '@switchyard/service';
import { Shared } from './shared.ts';

/** Something that grows with commits, read from any place on. */
export interface FeedSource<C> {
  /** Text of a place, equal for equal places. */
  getKey(place: C): string;
  /** Frames from a place on, as many as fit in one answer, and the place behind them; undefined while there is nothing. */
  read(place: C): { readonly frames: string; readonly next: C } | undefined;
}

const encoder = new TextEncoder();

/** Reads a source for many clients: events for readers at the same place are made once. */
export class Feed<C> {
  readonly #changed = new Notifier();
  readonly #made: Shared<C, { readonly bytes: Uint8Array; readonly next: C } | undefined>;

  constructor(source: FeedSource<C>) {
    const read = (place: C) => {
      const found = source.read(place);
      return found && { bytes: encoder.encode(found.frames), next: found.next };
    };
    this.#made = new Shared(source.getKey, read, (made) => made?.bytes.length ?? 0);
  }

  /** There may be more now. */
  changed(): void {
    this.#made.clear();
    this.#changed.notify();
  }

  /** Frames from a place on; undefined while there are none. */
  read(place: C): { readonly bytes: Uint8Array; readonly next: C } | undefined {
    return this.#made.at(place);
  }

  /** A function that a stream calls for its next frames, from `place` on. */
  from(place: C): (signal: AbortSignal) => Promise<Uint8Array> {
    let at = place;
    return async (signal) => {
      for (;;) {
        const read = this.read(at);
        if (read !== undefined) {
          at = read.next;
          if (read.bytes.length > 0) return read.bytes;
        } else await this.#changed.wait(signal);
      }
    };
  }
}
