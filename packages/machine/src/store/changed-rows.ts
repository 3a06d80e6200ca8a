import { type Changes, DELETED } from './changes.ts';
import { SortedKeys } from './sorted-keys.ts';
import type { KeyBounds, RangeOptions, Row } from './state.ts';

type ReadRows = (options: RangeOptions) => readonly Row[];

/** Rows that are read from below at first, and after each jump over hidden ones: then twice as many each time, also for one row. */
const FIRST_ROWS = 16;
const MOST_ROWS = 1_024;

/**
 * The order of changed keys, for ranges over changes and the rows below them.
 *
 * Changes hide the rows below that have their keys. A run of hidden rows is passed row by row once, and jumped over afterwards:
 * otherwise each read of the first row would pass all that were deleted before it. So a range costs its rows, a search for each
 * jump, and each change at most once.
 */
export class ChangedRows {
  readonly #changes: Changes;
  readonly #put: SortedKeys;
  readonly #deleted: SortedKeys;
  /** For each direction: from a hidden row below, or from the start of a range, the last of the hidden rows known to follow. */
  readonly #jumps = { up: new Map<string, string>(), down: new Map<string, string>() };

  constructor(changes: Changes) {
    this.#changes = changes;
    const keys = { put: [] as string[], deleted: [] as string[] };
    for (const [key, value] of changes) (value === DELETED ? keys.deleted : keys.put).push(key);
    this.#put = new SortedKeys(keys.put);
    this.#deleted = new SortedKeys(keys.deleted);
  }

  /** Takes a key into the order whose value has just changed. */
  changed(key: string, value: Uint8Array): void {
    const [from, to] = value === DELETED ? [this.#put, this.#deleted] : [this.#deleted, this.#put];
    from.delete(key);
    to.add(key);
  }

  /** Forgets the cached rows below, which have changed. */
  belowChanged(): void {
    this.#jumps.up.clear();
    this.#jumps.down.clear();
  }

  range(below: ReadRows, options: RangeOptions): readonly Row[] {
    const { limit, reverse = false } = options;
    if (isEmpty(this.#put, options) && isEmpty(this.#deleted, options)) return below(options);
    const rows: Row[] = [];
    const [own, under] = [this.#put.within(options), this.#seenBelow(below, options)];
    let [mine, theirs] = [own.next(), under.next()];
    while (rows.length < limit) {
      if (mine.value !== undefined && (theirs.value === undefined || mine.value < theirs.value[0] !== reverse)) {
        // It is one of the changes that are no deletion.
        rows.push([mine.value, this.#changes.get(mine.value) as Uint8Array]);
        mine = own.next();
      } else if (theirs.value !== undefined) {
        rows.push(theirs.value);
        // One more would cause a second search below.
        if (rows.length < limit) theirs = under.next();
      } else break;
    }
    return rows;
  }

  /** Rows below that no change hides. */
  *#seenBelow(below: ReadRows, { reverse = false, limit, ...bounds }: RangeOptions): Generator<Row, undefined> {
    const jumps = reverse ? this.#jumps.down : this.#jumps.up;
    const start = getStart(bounds, reverse);
    const known = jumps.get(start);
    let hidden = [start];
    const remember = (): void => {
      const last = hidden.at(-1);
      if (last !== undefined && last !== start) for (const key of hidden) jumps.set(key, last);
      hidden = [];
    };
    const behind = (key: string) => (reverse ? { ...bounds, before: key } : { ...bounds, after: key });
    let place: Omit<KeyBounds, 'reverse'> = known === undefined ? bounds : behind(known);
    const first = Math.min(limit, FIRST_ROWS);
    for (let most = first, next = first; ; most = next) {
      next = Math.min(2 * most, MOST_ROWS);
      const found = below({ ...place, reverse, limit: most });
      let last = found.at(-1)?.[0];
      let hasMore = found.length === most;
      for (const row of found) {
        const [key] = row;
        if (!this.#changes.has(key)) {
          remember();
          yield row;
          continue;
        }
        hidden.push(key);
        const to = jumps.get(key) ?? key;
        if (to === key) continue;
        hidden.push(to);
        [last, hasMore, next] = [to, true, first];
        break;
      }
      if (!hasMore || last === undefined) {
        remember();
        return;
      }
      place = behind(last);
    }
  }
}

/** Place before all keys of a range, in its direction. */
function getStart({ prefix, after = '', before }: KeyBounds, reverse: boolean): string {
  const end = `${prefix}\x7f`;
  if (reverse) return before === undefined || before > end ? end : before;
  return after < prefix ? prefix : after;
}

function isEmpty(keys: SortedKeys, bounds: KeyBounds): boolean {
  return keys.within(bounds).next().done === true;
}
