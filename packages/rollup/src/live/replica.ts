import {
  balances,
  encodeValue,
  MemoryRows,
  nonces,
  Overlay,
  type StateReader,
  u32 as storedU32,
  u128 as storedU128,
} from '@switchyard/machine/browser';
import { type Input, InvalidData } from '@switchyard/service/input';
import { type IndexedTable, writeIndexes } from '../define/indexes.ts';
import { type Keys, type KeyTypes, toKeys } from '../define/keys.ts';
import type { AnyTable } from '../define/table.ts';
import { address, asset, u32, u128 } from '../schema/scalars.ts';
import { openJson, type Type } from '../schema/type.ts';
import { type KeptTable, keptTable } from './kept-table.ts';
import type { Head } from './options.ts';
import type { Reads, Want } from './reads.ts';
import type { ChangedRow } from './verify/executed-chain.ts';
import type { Announcement } from './verify/worker-messages.ts';

/** Parts of a table that the rows of a node are read by. */
interface FollowedTable extends IndexedTable {
  readonly key: KeyTypes;
  readonly value: Type<unknown>;
  readonly keys: Keys;
  encode(value: unknown): Uint8Array;
}

/** The block after which the rows are these. */
export interface Cut extends Head {
  readonly cursor: string;
  readonly hash: string;
}

interface Part extends Want {
  readonly of: FollowedTable;
  /** `behind` has rows of an earlier block than other parts. Rows of `unusable` ones are not here: they are too many, or of other types. */
  state: 'loading' | 'whole' | 'behind' | 'unusable';
}

/** Tables that every rollup has. Their rows are too many to be copied whole. */
const COMMON: readonly FollowedTable[] = [
  { key: [address], value: u32, encode: (nonce: number) => encodeValue(storedU32, nonce), name: 'nonces', ...nonces },
  {
    key: [address, asset],
    value: u128,
    encode: (amount: bigint) => encodeValue(storedU128, amount),
    name: 'balances',
    ...balances,
  },
].map(({ key, value, encode, name, prefix }) => ({
  ...{ name, prefix, key, value, keys: toKeys(key), stored: [] },
  // Values are of the type.
  encode: encode as FollowedTable['encode'],
}));

/** Parts of one connection: a node has 64, some of which are for outcomes. */
const MOST_PARTS = 56;
/** Name of the table of an index in its keys. */
const OF_INDEX = /^index\/by\/(\w+)\//;

/** Rows of a node in memory, as far as its client follows them. */
export class Replica {
  readonly #rows = new MemoryRows();
  /** Tables of the definition. */
  readonly tables: readonly KeptTable[];
  readonly #tables: readonly FollowedTable[];
  /** Names of tables that are not copied whole. */
  readonly #byRows: Set<string>;
  readonly #parts = new Map<number, Part>();
  #reads: Reads | undefined;
  /** Undefined before the first notification. */
  cut: Cut | undefined;
  /** Rows of the newest notification, by their keys in a store. */
  received: ChangedRow[] = [];

  constructor(tables: readonly AnyTable[], byRows: readonly string[]) {
    this.tables = tables.map(keptTable);
    this.#tables = [...this.tables, ...COMMON];
    this.#byRows = new Set([...COMMON.map(({ name }) => name), ...byRows]);
  }

  /** Whether some rows are those of an earlier block than others. */
  get isBehind(): boolean {
    return [...this.#parts.values()].some(({ state }) => state === 'behind');
  }

  /** The rows to follow for a read; undefined if none can cover it. @param prefix Of a range, or a key. */
  #wanted(prefix: string): Want | undefined {
    const [, ofIndex] = OF_INDEX.exec(prefix) ?? [];
    const table = this.#tables.find((each) => each.name === ofIndex || prefix.startsWith(each.prefix));
    if (table === undefined) return undefined;
    const { name, key } = table;
    if (!this.#byRows.has(name)) return this.#possible({ cover: table.prefix, table: name, prefix: [] });
    const found = prefix
      .slice(table.prefix.length)
      .split('/')
      .filter((part) => part !== '')
      .slice(0, key.length);
    if (ofIndex !== undefined || found.length === 0) return undefined;
    const types = key.slice(0, found.length);
    const parts = toKeys(types).fromKey(found.join('/'));
    return this.#possible({ cover: prefix, table: name, prefix: types.map((type, at) => type.toJson(parts[at])) });
  }

  #possible(want: Want): Want | undefined {
    const known = [...this.#parts.values()].find(({ cover }) => cover === want.cover);
    return known?.state === 'unusable' || (known === undefined && this.#parts.size >= MOST_PARTS) ? undefined : want;
  }

  /** @returns whether it is new. @param id A number that no other part has. */
  add(id: number, want: Want): boolean {
    const of = this.#tables.find(({ name }) => name === want.table);
    if (of === undefined || [...this.#parts.values()].some(({ cover }) => cover === want.cover)) return false;
    this.#parts.set(id, { ...want, of, state: 'loading' });
    return true;
  }

  /** The node does not have a part, or has too many rows of it: the rows of the table are followed one by one. */
  refuse(id: number): void {
    const part = this.#parts.get(id);
    if (part === undefined) return;
    part.state = 'unusable';
    if (part.prefix.length === 0) this.#byRows.add(part.table);
  }

  /** The connection was lost: rows are those of their block until all parts have been resumed. */
  lag(): void {
    this.#write((state) => {
      for (const part of this.#parts.values()) {
        if (part.state === 'whole') part.state = 'behind';
        // Its rows are sent again.
        else if (part.state === 'loading') this.#forget(part, state);
      }
    });
  }

  /** Takes a notification in. @returns the keys that changed. */
  apply(notice: Input): ReadonlySet<string> {
    const time = notice.at('time');
    this.cut = {
      ...{ cursor: notice.at('cursor').text(), block: notice.at('block').big(), firm: notice.at('firm').big() },
      time: { seconds: time.at('seconds').big(), nanos: time.at('nanos').integer() },
      hash: notice.at('hash').text(),
    };
    this.received = [];
    return this.#write((state) => {
      for (const each of notice.at('parts').list()) {
        const id = each.at('id').integer();
        const part = this.#parts.get(id);
        if (part === undefined || part.state === 'unusable') continue;
        try {
          this.#take(part, each, state);
          if (each.at('isCut').value !== true) continue;
        } catch (error) {
          // Rows of another version of the definition.
          if (!(error instanceof InvalidData)) throw error;
        }
        this.#forget(part, state);
        this.refuse(id);
      }
    });
  }

  #take(part: Part, each: Input, state: Overlay): void {
    const { key: types, keys, prefix, value, encode } = part.of;
    const storeKey = (key: Input): string => {
      const parts = key.list(types.length);
      return (
        prefix +
        (types.length === 0
          ? ONLY
          : keys.toKey(
              types.map((type, at) => type.json(parts[at] ?? key)),
              types.length,
            ))
      );
    };
    if (each.at('again').isPresent) this.#forget(part, state);
    for (const removed of each.at('removed').list()) this.#receive(state, storeKey(removed), undefined);
    for (const row of each.at('rows').list())
      this.#receive(state, storeKey(row.at('key')), encode(openJson(value)(row.at('value'))));
    if (each.at('isWhole').value === true) part.state = 'whole';
    else if (each.at('isWhole').isPresent && part.state === 'whole') part.state = 'behind';
  }

  #receive(state: Overlay, key: string, row: Uint8Array | undefined): void {
    if (row === undefined) state.delete(key);
    else state.put(key, row);
    this.received.push([key, row]);
  }

  /** The newest block, and all rows that are known to be those after it. */
  shown(): Announcement | undefined {
    const whole = [...this.#parts.values()].filter(({ state }) => state === 'whole');
    const rows = whole.flatMap(({ cover }) => [...this.#rows.range({ prefix: cover, limit: Number.MAX_SAFE_INTEGER })]);
    return this.cut && [this.cut.block, this.cut.hash, rows];
  }

  #forget(part: Part, state: Overlay): void {
    for (const [key] of state.range({ prefix: part.cover, limit: Number.MAX_SAFE_INTEGER }))
      if (![...this.#parts.values()].some((other) => other !== part && isCovered(other, key))) state.delete(key);
    part.state = 'loading';
  }

  #write(work: (state: Overlay) => void): ReadonlySet<string> {
    const state = new Overlay(this.#rows);
    work(state);
    writeIndexes(this.#tables, state, state, () => undefined);
    const changes = state.take();
    this.#rows.apply(changes);
    return new Set(changes.keys());
  }

  /** Runs work on {@link state}, whose reads are those of the work. */
  read<T>(reads: Reads, work: () => T): T {
    const outer = this.#reads;
    this.#reads = reads;
    try {
      return work();
    } finally {
      this.#reads = outer;
    }
  }

  /** The rows, to be read within {@link read}; without it, missing ones are absent. */
  readonly state: StateReader = {
    get: (key) => {
      this.#mustCover(key);
      return this.#rows.get(key);
    },
    range: (options) => {
      this.#mustCover(options.prefix);
      return this.#rows.range(options);
    },
  };

  #mustCover(prefix: string): void {
    if (this.#reads === undefined) return;
    const [, ofIndex] = OF_INDEX.exec(prefix) ?? [];
    for (const part of this.#parts.values()) {
      const isOf = isCovered(part, prefix) || (part.table === ofIndex && part.prefix.length === 0);
      if (isOf && (part.state === 'whole' || part.state === 'behind')) return;
    }
    this.#reads.miss(this.#wanted(prefix));
  }
}

function isCovered({ cover }: Want, key: string): boolean {
  return cover.endsWith('/') ? key.startsWith(cover) : key === cover;
}

/** Key of the row of a table without a key. */
const ONLY = '_';
