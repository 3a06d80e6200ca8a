import {
  encodeValue,
  type StateReader,
  type StateWriter,
  table as storeTable,
  u32Key,
  u64Key,
  u64 as u64Value,
  type ValueOf,
} from '@switchyard/machine/browser';
import { Rejected, type Timestamp } from '@switchyard/protocol';
import { u32, u64 } from '../schema/scalars.ts';
import { type Fields, type Flat, type RecordOf, type RecordType, record } from '../schema/shapes.ts';
import { inPlace, type Type } from '../schema/type.ts';
import { mapValues } from './document.ts';
import { toKeys } from './keys.ts';
import { logRow, RecentTerms, type Terms } from './log-terms.ts';
import { rowCodec } from './row-codec.ts';
import { mustBeTexts } from './search.ts';
import { type Rows, table } from './table.ts';
import { hasBegun } from './type-by-block.ts';

/*
 * Tables that only grow, such as messages and trades. Entries of one block lie together in a row of the store, some at a time, under the
 * id of the first: rows are few, and are written in order.
 */

/** An entry with its place. Ids are consecutive from 0; block 0 has the initial ones. */
export type LogEntry<V> = Flat<{ readonly id: bigint; readonly block: bigint; readonly time: Timestamp } & V>;

/** State of a hook, in which logs collect the entries of its block. */
export interface BlockState extends StateWriter {
  readonly block: { readonly number: bigint; readonly time: Timestamp };
  readonly unwritten: Map<symbol, Unwritten>;
}

/** Entries of a log that are in no row yet, in their bytes. */
interface Unwritten {
  entries: Uint8Array[];
  terms: Terms[];
  size: number;
  flush(): void;
}

/** Writes the entries that are in no row yet. */
export function flushLogs({ unwritten }: BlockState): void {
  for (const each of unwritten.values()) each.flush();
}

export interface LogRange {
  /** The first id. */
  readonly from?: bigint;
  /** Both exclusive. */
  readonly after?: bigint;
  readonly before?: bigint;
  readonly reverse?: boolean;
  /** At most 10,000 entries, and at most 64 MiB of the largest ones, are read in one go. */
  readonly limit: number;
}
type LogPlace = Omit<LogRange, 'limit'>;

/** Entries that `onBlock` appends, each with its id, block and time. */
export interface Log<V> extends Rows<bigint, LogEntry<V>> {
  /** For `onBlock`. @throws {Error} for a value that its type does not have. */
  append(state: StateWriter, value: V): void;
  /** Number of entries, and the id of the next one. */
  count(state: StateReader): bigint;
  get(state: StateReader, id: bigint): LogEntry<V> | undefined;
  range(state: StateReader, options: LogRange): readonly (readonly [bigint, LogEntry<V>])[];
  first(state: StateReader, place?: LogPlace): readonly [bigint, LogEntry<V>] | undefined;
  last(state: StateReader, place?: LogPlace): readonly [bigint, LogEntry<V>] | undefined;
  readonly initial: readonly V[];
  /** Fields that have the terms of these names. */
  readonly by: Readonly<Record<string, readonly string[]>>;
  /** Fields by which the entries of the row are found that begins with this one. */
  termsAt(state: StateReader, first: bigint): readonly Terms[];
}

interface LogOptions<F extends Fields> {
  readonly name: string;
  readonly help?: string;
  readonly value: RecordType<F>;
  /** Block from which a running chain has the log. */
  readonly from?: bigint;
  /** Raised when a function that `onBlock` calls has changed. */
  readonly version?: number;
  /** Fields of text by whose words entries are found. */
  readonly search?: readonly (keyof F & string)[];
  /** Terms by which entries are found, each with the fields that have it, which are of one type. */
  readonly by?: Readonly<Record<string, readonly (keyof F & string)[]>>;
  /** Entries of block 0. */
  readonly initial?: readonly RecordOf<F>[];
}

const ROW_ENTRIES = 64;
const ROW_BYTES = 16_384;
/** Rows may have few entries each, as on a quiet chain: they are then read some at a time. */
const MOST_ROWS = 32;

const place = { id: u64, block: u64, time: record({ seconds: u64, nanos: u32 }) };

/**
 * A table that only grows: `onBlock` appends entries, which are found by id, words and terms. It is no part of the state root.
 *
 * @throws {Error} naming its invalid part.
 * @example
 * ```ts
 * const value = record({ seller: address, buyer: address, price: u64, note: text({ maxBytes: 80 }) });
 * const trades = log({ name: 'trades', value, search: ['note'], by: { account: ['seller', 'buyer'] } });
 * const newest = trades.range(state, { reverse: true, limit: 10 });
 * ```
 */
export function log<const F extends Fields>(options: LogOptions<F>): Log<RecordOf<F>> {
  return inPlace(`table ${JSON.stringify(options.name)}`, () => build(options));
}

function build<F extends Fields>({ value, search = [], by = {}, initial = [], ...named }: LogOptions<F>) {
  type Entry = LogEntry<RecordOf<F>>;
  const types = new Map(value.fields.map((field) => [field.name, field.type]));
  mustBeTexts(value, search);
  const rows = rowsOf<Entry>(named, types);
  const { name, prefix, id, open, from } = rows;
  const store = storeOf(prefix);
  const codec = rowCodec<RecordOf<F>>(value);
  const recent = new RecentTerms([...search, ...Object.values(by).flat()], value, codec.decode);

  function append(given: StateWriter, entry: RecordOf<F>): void {
    const state = open(given);
    if (!isOfHook(state)) throw new Error(`table ${name} is a log: onBlock appends its entries`);
    if (!hasBegun(from)) return;
    const encoded = inPlace(`table ${name}`, () => codec.encode(entry));
    const last = unwrittenOf(state, id, store, recent);
    if (last.entries.length === ROW_ENTRIES || last.size + encoded.length > ROW_BYTES) last.flush();
    last.entries.push(encoded);
    last.terms.push(recent.of(entry));
    last.size += encoded.length;
  }

  /** A hook sees the entries that it has appended. */
  function opened<S extends StateReader>(given: S): S {
    const state = open(given);
    if (isOfHook(state)) state.unwritten.get(id)?.flush();
    return state;
  }

  const count = (state: StateReader): bigint => store.counts.get(opened(state), 0);

  function select(state: StateReader, { from: start, after, before, reverse = false, limit }: LogRange): Entry[] {
    const most = rows.toLimit(limit);
    const all = count(state);
    const end = before === undefined || before > all ? all : before;
    const lowest = start ?? (after ?? -1n) + 1n;
    const size = end - lowest > most ? BigInt(most) : end - lowest;
    if (size <= 0n) return [];
    const first = reverse ? end - size : lowest;
    const found = readEntries(opened(state), store.chunks, codec.decode, first, Number(size)) as Entry[];
    return reverse ? found.reverse() : found;
  }

  const get = (state: StateReader, each: bigint) => select(state, { from: each, before: each + 1n, limit: 1 })[0];
  const range = (state: StateReader, wanted: LogRange) =>
    select(state, wanted).map((entry) => [entry.id, entry] as const);
  return {
    ...rows,
    ...{ search, by, append, count, get, range, initial },
    // Only the type of its key is of use.
    indexes: mapValues(by, (fields) => ({ key: [termType(types, fields)], of: () => undefined })),
    first: (state, place) => range(state, { ...place, limit: 1 })[0],
    last: (state, place) => range(state, { ...place, limit: 1, reverse: true })[0],
    storeKey: store.chunks.storeKey,
    termsAt: (state, first) => recent.read(first, state.get(store.chunks.storeKey(first))),
    decode() {
      throw new Error(`table ${rows.name} is a log, whose entries are in no proof`);
    },
    *page(snapshot, { first: [only] = [], after, reverse = false, limit }) {
      const last = cursorOf(after);
      const one = only === undefined ? {} : { from: only as bigint, before: (only as bigint) + 1n };
      const bound = last === undefined ? {} : reverse ? { before: last } : { after: last };
      for (const entry of select(snapshot, { ...bound, ...one, reverse, limit }))
        yield { key: [entry.id], value: entry, cursor: String(entry.id) };
    },
  } satisfies Log<RecordOf<F>>;
}

/** The parts of a table that a log shares with it. */
function rowsOf<E>(named: Pick<LogOptions<Fields>, 'name' | 'help' | 'from' | 'version'>, types: EntryTypes) {
  const taken = Object.keys(place).find((name) => types.has(name));
  if (taken !== undefined) throw new Error(`field "${taken}": every entry has one of this name`);
  // The names of an entry are those of its value, and those of its place.
  const value = record({ ...place, ...Object.fromEntries(types) }) as unknown as Type<E>;
  const {
    put: _,
    delete: __,
    has: ___,
    before: ____,
    by: _____,
    ...rows
  } = table({
    ...{ ...named, key: u64, value, derived: true },
  });
  return rows;
}
type EntryTypes = ReadonlyMap<string, Type<unknown>>;

/** Rows of a log in the store. */
const storeOf = (prefix: string) => ({
  chunks: storeTable({ prefix: `${prefix}at/`, key: u64Key, value: logRow }),
  counts: storeTable({ prefix: `${prefix}count/`, key: u32Key, value: u64Value, absent: 0n }),
});
type LogStore = ReturnType<typeof storeOf>;

/** Entries of the block that are in no row yet. */
function unwrittenOf(state: BlockState, id: symbol, { chunks, counts }: LogStore, recent: RecentTerms): Unwritten {
  const known = state.unwritten.get(id);
  if (known !== undefined) return known;
  const begun: Unwritten = {
    ...{ entries: [], terms: [], size: 0 },
    flush() {
      const { entries, terms } = begun;
      if (entries.length === 0) return;
      const { number: block, time } = state.block;
      const next = counts.get(state, 0);
      const stored = encodeValue(logRow, { block, time, entries });
      state.put(chunks.storeKey(next), stored);
      recent.remember(next, stored, terms);
      counts.put(state, 0, next + BigInt(entries.length));
      Object.assign(begun, { entries: [], terms: [], size: 0 });
    },
  };
  state.unwritten.set(id, begun);
  return begun;
}

/** Up to `limit` entries in the order of their ids, from `start` on. Others of their rows are not decoded. */
function readEntries(
  state: StateReader,
  chunks: LogStore['chunks'],
  decode: (entry: Uint8Array) => object,
  start: bigint,
  limit: number,
): object[] {
  const found: object[] = [];
  const add = (first: bigint, { block, time, entries }: ValueOf<typeof logRow>): void => {
    const skipped = Number(start > first ? start - first : 0n);
    for (const [at, entry] of entries.slice(skipped, skipped + limit - found.length).entries())
      found.push({ id: first + BigInt(skipped + at), block, time, ...decode(entry) });
  };
  // The row that holds an entry begins at its id or before it.
  let [last] = [...chunks.range(state, { before: start + 1n, reverse: true, limit: 1 })];
  if (last !== undefined) add(...last);
  for (let several = 1; last !== undefined && found.length < limit; several = Math.min(2 * several, MOST_ROWS)) {
    const more = [...chunks.range(state, { after: last[0], limit: several })];
    for (const each of more) add(...each);
    last = more.at(-1);
  }
  return found;
}

const isOfHook = (state: StateReader): state is BlockState => 'unwritten' in state;

/** @throws {Rejected} */
export function cursorOf(after: string | undefined): bigint | undefined {
  if (after === undefined) return undefined;
  if (/^[0-9]{1,20}$/.test(after)) return BigInt(after);
  throw new Rejected('malformed', { field: 'after', expected: 'the cursor of a page' });
}

/** @throws {Error} for fields that have no type in common, and for one of no single value. */
function termType(types: ReadonlyMap<string, Type<unknown>>, fields: readonly string[]): Type<unknown> {
  const [type, ...others] = fields.map((field) => types.get(field));
  if (type === undefined) throw new Error(`by: expected fields of the entries, got "${fields.join('", "')}"`);
  if (others.some((other) => JSON.stringify(other?.description) !== JSON.stringify(type.description)))
    throw new Error(`by: expected fields of one type, got "${fields.join('", "')}"`);
  toKeys([type]);
  return type;
}
