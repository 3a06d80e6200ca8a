import type { StateReader } from '@switchyard/machine/browser';

/** Rows of a table that a client follows; all of them, if the prefix has no parts. */
export interface Want {
  /** Begins the keys of the rows if it ends with a slash, else it is the key of the one row. */
  readonly cover: string;
  readonly table: string;
  /** First parts of the keys, in JSON. */
  readonly prefix: readonly unknown[];
}

/** Ends work that reads rows which are not here. */
export class Missing extends Error {}

/** Records which rows some work has read, and which of them are missing. */
export class Reads {
  readonly #keys = new Set<string>();
  readonly #ranges = new Set<string>();
  /** Rows that have to be followed first. */
  want: Want | undefined;
  /** Whether it has read rows that cannot be followed. */
  isUncovered = false;
  /** Whether the node was queried for a part of the result. */
  isOfNode = false;

  /** @param isLenient Rows that cannot be followed are absent, instead of ending the work. */
  constructor(readonly isLenient = false) {}

  /** The state, whose reads are recorded. */
  track(state: StateReader): StateReader {
    return {
      get: (key) => {
        this.#keys.add(key);
        return state.get(key);
      },
      range: (options) => {
        this.#ranges.add(options.prefix);
        return state.range(options);
      },
    };
  }

  /** Whether it has read one of the rows. */
  touch(changed: ReadonlySet<string>): boolean {
    const ranges = [...this.#ranges];
    for (const key of changed) if (this.#keys.has(key) || ranges.some((range) => key.startsWith(range))) return true;
    return false;
  }

  /** Ends the work, unless it takes rows that cannot be followed as absent. */
  miss(want: Want | undefined): void {
    this.want ??= want;
    this.isUncovered ||= want === undefined;
    if (want !== undefined || !this.isLenient) throw new Missing('rows that the work reads are not here');
  }
}
