import { type Input, InvalidData } from '@switchyard/service/input';
import type { Log, LogEntry } from '../define/log.ts';
import { openJson } from '../schema/type.ts';
import type { Connection } from './connection.ts';
import { type Live, Value } from './store.ts';

/** The newest entries of a log, in the order of their ids. */
export interface NewestEntries<V> {
  /** `loading` before the first entries are here; `failed` if the node does not have such a log. */
  readonly state: 'loading' | 'ready' | 'failed';
  /** Entries that came first, and all that blocks have appended since: the newest 4,000 of them. */
  readonly entries: readonly LogEntry<V>[];
  readonly error?: Error;
}

const MOST_ENTRIES = 4_000;

interface Followed {
  readonly log: Log<unknown>;
  readonly value: Value<NewestEntries<unknown>>;
  /** Entries so far, while pages are under way too. */
  entries: readonly LogEntry<unknown>[];
}

/** Logs whose newest entries a client follows while they have subscribers. */
export class NewestParts {
  readonly #values = new Map<string, Value<NewestEntries<unknown>>>();
  readonly #followed = new Map<number, Followed>();

  constructor(
    readonly connection: () => Pick<Connection, 'follow' | 'drop'>,
    readonly nextId: () => number,
  ) {}

  /** @returns one value for all callers with an equal count. */
  newest<V>(log: Log<V>, count: number): Live<NewestEntries<V>> {
    const name = `${count} ${log.name}`;
    const value = this.#values.get(name) ?? this.#open(log as Log<unknown>, count);
    this.#values.set(name, value);
    // The log names its entries and their type.
    return value as Live<NewestEntries<unknown>> as Live<NewestEntries<V>>;
  }

  #open(log: Log<unknown>, count: number): Value<NewestEntries<unknown>> {
    let id: number | undefined;
    const value = new Value<NewestEntries<unknown>>({ state: 'loading', entries: [] }, (subscribers) => {
      if (subscribers > 0 && id === undefined) {
        id = this.nextId();
        this.#followed.set(id, { log, value, entries: [] });
        this.connection().follow({ id, table: log.name, newest: count });
      } else if (subscribers === 0 && id !== undefined) {
        this.#followed.delete(id);
        this.connection().drop(id);
        id = undefined;
        value.set({ state: 'loading', entries: value.get().entries });
      }
    });
    return value;
  }

  /** Takes a part of a notification in. */
  take(part: Input): void {
    const id = part.at('id').integer();
    const followed = this.#followed.get(id);
    if (followed === undefined) return;
    const { log, value, entries } = followed;
    try {
      const rows = part.at('rows').list();
      const more = rows.map((row) => openJson(log.value)(row.at('value')) as LogEntry<unknown>);
      const [first] = more;
      // A connection that was lost among pages gets them again.
      const before = first === undefined ? entries : entries.filter((each) => each.id < first.id);
      const isGap = first !== undefined && before.at(-1)?.id !== first.id - 1n;
      followed.entries = [...(isGap || part.at('again').isPresent ? [] : before), ...more].slice(-MOST_ENTRIES);
      if (part.at('isWhole').bool()) value.set({ state: 'ready', entries: followed.entries });
    } catch (error) {
      // Entries of another version of the definition.
      if (!(error instanceof InvalidData)) throw error;
      this.connection().drop(id);
      this.refuse(id, error.message);
    }
  }

  /** The node does not follow a part. */
  refuse(id: number, reason: string): void {
    const followed = this.#followed.get(id);
    this.#followed.delete(id);
    followed?.value.set({ ...followed.value.get(), state: 'failed', error: new Error(reason) });
  }

  /** The connection was lost: entries that are not all here come from the first one on. */
  lag(): void {
    for (const followed of this.#followed.values()) if (followed.value.get().state === 'loading') followed.entries = [];
  }
}
