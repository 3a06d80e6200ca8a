/** Something that grows with commits, read from any place on. */
export interface FeedSource<C> {
  /** Text of a place, equal for equal places. */
  getKey(place: C): string;
  /** Frames from a place on, as many as fit in one answer, and the place behind them; undefined while there is nothing. */
  read(place: C): { readonly frames: string; readonly next: C } | undefined;
}

const encoder = new TextEncoder();

/** Frames of a source in bytes, which are made once for readers at equal places. */
export function sharedFrames<C>({ getKey, read }: FeedSource<C>) {
  const toBytes = (place: C) => {
    const found = read(place);
    return found && { bytes: encoder.encode(found.frames), next: found.next };
  };
  return new Shared(getKey, toBytes, (made) => made?.bytes.length ?? 0);
}
export type SharedFrames<C> = ReturnType<typeof sharedFrames<C>>;

const MOST_ENTRIES = 4_096;
const MOST_SIZE = 32 * 1_048_576;

/** Results of reads for many clients: for readers at equal places they are made once, until the next commit. */
export class Shared<C, T> {
  readonly #made = new Map<string, T>();
  #size = 0;

  constructor(
    readonly getKey: (place: C) => string,
    readonly read: (place: C) => T,
    readonly getSize: (made: T) => number,
  ) {}

  clear(): void {
    this.#made.clear();
    this.#size = 0;
  }

  at(place: C): T {
    const key = this.getKey(place);
    const known = this.#made.get(key);
    if (known !== undefined || this.#made.has(key)) return known as T;
    const made = this.read(place);
    const size = this.getSize(made) + key.length;
    if (this.#made.size >= MOST_ENTRIES || this.#size + size > MOST_SIZE) return made;
    this.#made.set(key, made);
    this.#size += size;
    return made;
  }
}
