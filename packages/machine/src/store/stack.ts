import { ChangedRows } from './changed-rows.ts';
import type { Changes } from './changes.ts';
import type { RangeOptions, Row } from './state.ts';

interface Slice {
  readonly changes: Changes;
  /** Position of the newest layer in it. */
  readonly newest: number;
  /** Made with the first range. Slices below it that are merged or committed show it the rows that they showed before. */
  rows?: ChangedRows;
}

/** Lookups go through at most about this many maps, then maps are merged. */
const MANY = 4;

/** The changes of layers that lie on one another, oldest first. Immutable: a layer extends the stack of the one below. */
export class ChangeStack {
  static readonly EMPTY = new ChangeStack([]);

  readonly #slices: readonly Slice[];

  private constructor(slices: readonly Slice[]) {
    this.#slices = slices;
  }

  /** The newest change of `key`, if there is one. */
  get(key: string): Uint8Array | undefined {
    for (let i = this.#slices.length - 1; i >= 0; i--) {
      const found = this.#slices[i]?.changes.get(key);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Rows of `below`, the committed version, as the changes leave them. */
  range(below: (options: RangeOptions) => readonly Row[], options: RangeOptions): readonly Row[] {
    const through = this.#slices.reduce((under, slice) => {
      slice.rows ??= new ChangedRows(slice.changes);
      const { rows } = slice;
      return (wanted: RangeOptions) => rows.range(under, wanted);
    }, below);
    return through(options);
  }

  /**
   * The stack with one more layer.
   *
   * @param committed Position of the newest committed layer: layers at or below it are left out.
   */
  with(changes: Changes, position: number, committed: number): ChangeStack {
    const slices = this.#slices.filter((slice) => slice.newest > committed);
    slices.push({ changes, newest: position });
    for (let last = slices.length - 1; last >= MANY; last--) {
      const [below, top] = [slices[last - 1], slices[last]];
      // Sizes that at least double downwards keep both the number of maps and the copying logarithmic.
      if (below === undefined || top === undefined || below.changes.size > 2 * top.changes.size) break;
      slices.splice(last - 1, 2, { changes: mergeChanges([below.changes, top.changes]), newest: top.newest });
    }
    return new ChangeStack(slices);
  }
}

/** One map with the last value of every key. The first map is copied, the others are laid over it. */
export function mergeChanges(oldestFirst: readonly Changes[]): Changes {
  const [first, ...rest] = oldestFirst;
  if (first !== undefined && rest.length === 0) return first;
  const merged = new Map(first);
  for (const changes of rest) for (const [key, value] of changes) merged.set(key, value);
  return merged;
}
