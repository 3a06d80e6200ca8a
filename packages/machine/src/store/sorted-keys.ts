import type { KeyBounds } from './state.ts';

/** An insert moves the rest of one run, and searches the first keys of all. */
const RUN = 256;

/** A set of keys in the order of their bytes. */
export class SortedKeys {
  readonly #runs: string[][] = [];

  constructor(keys: Iterable<string> = []) {
    const sorted = [...keys].sort();
    for (let at = 0; at < sorted.length; at += RUN) this.#runs.push(sorted.slice(at, at + RUN));
  }

  add(key: string): void {
    const at = this.#runOf(key);
    const run = this.#runs[at];
    if (run === undefined) {
      this.#runs.push([key]);
      return;
    }
    const place = placeIn(run, key);
    if (run[place] === key) return;
    run.splice(place, 0, key);
    if (run.length === 2 * RUN) this.#runs.splice(at + 1, 0, run.splice(RUN));
  }

  delete(key: string): void {
    const at = this.#runOf(key);
    const run = this.#runs[at];
    const place = run === undefined ? 0 : placeIn(run, key);
    if (run?.[place] !== key) return;
    run.splice(place, 1);
    if (run.length === 0) this.#runs.splice(at, 1);
  }

  /** Keys within bounds, ascending or descending. The set must not change in the meantime. */
  *within({ prefix, after = '', before, reverse = false }: KeyBounds): Generator<string, undefined> {
    // No key reaches the character after the last of ASCII.
    const end = `${prefix}\x7f`;
    const low = after < prefix ? prefix : after;
    const high = before === undefined || before > end ? end : before;
    let at = this.#runOf(reverse ? high : low);
    let place = placeIn(this.#runs[at] ?? [], reverse ? high : low) - (reverse ? 1 : 0);
    for (let run = this.#runs[at]; run !== undefined; run = this.#runs[at]) {
      const key = run[place];
      if (key === undefined) {
        at += reverse ? -1 : 1;
        place = reverse ? (this.#runs[at]?.length ?? 0) - 1 : 0;
        continue;
      }
      if (reverse ? key < low : key >= high) return;
      if (key !== after) yield key;
      place += reverse ? -1 : 1;
    }
  }

  /** The last run that begins at or before a key, else the first one. */
  #runOf(key: string): number {
    let [low, high] = [0, this.#runs.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#runs[middle]?.[0] as string) <= key) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** Number of keys of a run that stand before a key. */
function placeIn(run: readonly string[], key: string): number {
  let [low, high] = [0, run.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((run[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
