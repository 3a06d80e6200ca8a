import { type Overlay, type StateWriter, type Store, struct, table, text, u32 } from '@switchyard/machine';
import type { Row } from '@switchyard/machine/browser';
import { sha256Hex } from '@switchyard/protocol';
import { InvalidConfig, type Logger, turn } from '@switchyard/service';
import { keptIn } from '../app/pruning.ts';
import { emptyChanges } from '../app/streams/changes.ts';
import { commitmentRows, hookGaps } from '../app/tables.ts';
import { deriveRows, type Hook, withDerived } from './derive-rows.ts';
import { PRESENT, type StoredIndex } from './indexes.ts';
import type { Log } from './log.ts';
import { isLog } from './log-search.ts';
import { type AnyTable, DERIVED_ROWS } from './table.ts';

/*
 * Rows alongside the state of a definition that has changed: derived tables are written again from the stored blocks, indexes that came
 * or changed are built from the rows of their tables, and parts removed from the definition are deleted. All of it in batches:
 * indexes resume after any end, derived tables begin again.
 */

/**
 * The identity of each index and derived table, by which it was built, and that of the hook. `after` is the row of
 * an index that was brought last, if more follow, and the last block of derived rows that may be those of another hook.
 */
const built = table({
  prefix: 'index/built/',
  key: text,
  value: struct({ identity: text, isWhole: u32, after: text }),
});
/** More than a definition has. */
const MOST_PARTS = 10_000;
const ROWS_AT_ONCE = 4_000;
const BYTES_AT_ONCE = 16 * 1_048_576;
/** Rows of any size. */
const LARGE_ROWS_AT_ONCE = 64;
/** Rows that an index cannot have are each a line of the log, up to this many. */
const MOST_LINES = 10;

interface Part {
  readonly prefix: string;
  readonly identity: string;
  /** Undefined for all derived tables together. */
  readonly table?: AnyTable;
  /** Undefined for the rows of a derived table. */
  readonly index?: StoredIndex;
  /** Whether they are the terms of a log. */
  readonly isTerms?: boolean;
}

/** All derived tables together. */
const DERIVED = 'rows';

/** Names of parts are those of their rows in the store: `by/orders/owner`, `rows/history`, and `rows` for all derived tables. */
function toParts(tables: readonly AnyTable[], { own }: Hook): ReadonlyMap<string, Part> {
  const parts = tables.flatMap((each): readonly Part[] => [
    ...(each.isAuthenticated ? [] : [{ prefix: each.prefix, identity: toIdentity(each), table: each }]),
    ...(isLog(each) ? [{ prefix: `${each.prefix}terms/`, identity: termsOf(each), table: each, isTerms: true }] : []),
    ...each.stored.map((index) => ({ prefix: index.prefix, identity: index.identity, table: each, index })),
  ]);
  const derived = getDerived(tables);
  const facts = [String(own), ...derived.map((each) => [each.name, toIdentity(each), each.version, String(each.from)])];
  const identity = sha256Hex(new TextEncoder().encode(JSON.stringify(facts)));
  if (derived.length > 0) parts.unshift({ prefix: DERIVED_ROWS, identity });
  return new Map(parts.map((part) => [part.prefix.slice('index/'.length, -1), part]));
}

const getDerived = (tables: readonly AnyTable[]) => tables.filter(({ isAuthenticated }) => !isAuthenticated);
const toIdentity = ({ key, value }: AnyTable) => JSON.stringify([...key, value].map(({ description }) => description));

const termsOf = ({ search, by }: Log<unknown>) => JSON.stringify({ search, by });

/** Records the indexes and derived tables of a chain that begins: they are written with its blocks. */
export function recordIndexes(tables: readonly AnyTable[], hook: Hook, rows: StateWriter): void {
  begin(tables, rows);
  recordParts(toParts(tables, hook), rows);
}

function recordParts(parts: ReadonlyMap<string, Part>, rows: StateWriter): void {
  for (const [name, { identity }] of parts) built.put(rows, name, { identity, isWhole: 1, after: '' });
}

/** Writes the entries of block 0. */
function begin(tables: readonly AnyTable[], rows: StateWriter): void {
  withDerived({ number: 0n, time: { seconds: 0n, nanos: 0 } }, rows, (state) => {
    for (const each of tables) if (isLog(each)) for (const entry of each.initial) each.append(state, entry);
  });
}

/**
 * Brings indexes and derived tables of a store to those of a definition.
 *
 * @throws {InvalidConfig} for a derived table that has come to blocks without it, of which some are not kept.
 */
export async function buildIndexes(
  tables: readonly AnyTable[],
  hook: Hook,
  store: Store,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const parts = toParts(tables, hook);
  const commit = async (write: (rows: Overlay) => void): Promise<void> => {
    signal.throwIfAborted();
    const rows = store.begin();
    write(rows);
    // Rows are written that no block changed.
    emptyChanges(rows, commitmentRows.get(rows)?.soft ?? 0n);
    await store.commit(store.seal(rows, (store.head().height ?? -1n) + 1n));
    await turn();
  };
  const erase = async (prefix: string): Promise<void> => {
    for (;;) {
      const found = getBatch(store, prefix);
      if (found.length === 0) return;
      await commit((rows) => {
        for (const [key] of found) rows.delete(key);
      });
    }
  };
  for (const { prefix, convert } of hook.formerRows) {
    for (let found = getBatch(store, prefix), done = 0; found.length > 0; found = getBatch(store, prefix)) {
      await commit((rows) => {
        if (!built.has(rows, DERIVED)) recordParts(parts, rows);
        for (const [key, row] of found) {
          convert?.(row, (block, work) => withDerived(block, rows, work));
          rows.delete(key);
        }
      });
      done += found.length;
      log.info({ prefix, rows: done }, 'rows of an older format are being converted');
    }
  }
  for (const [name] of [...built.range(store.snapshot(), { limit: MOST_PARTS })]) {
    if (parts.has(name)) continue;
    log.info({ part: name }, 'rows of an index or derived table that the definition no longer has are deleted');
    await erase(`index/${name}/`);
    await commit((rows) => built.delete(rows, name));
  }
  for (const [name, { prefix, identity, table: each, index, isTerms }] of parts) {
    const found = built.get(store.snapshot(), name);
    if (found?.identity === identity && found.isWhole === 1) continue;
    if (isTerms) {
      await erase(prefix);
      await commit((rows) => built.put(rows, name, { identity, isWhole: 1, after: '' }));
      continue;
    }
    if (index === undefined || each === undefined) {
      await derive();
      continue;
    }
    if (found?.identity !== identity) {
      // Rows by another key or function go first: no identity stands for them until they are gone.
      await commit((rows) => built.put(rows, name, { identity: '', isWhole: 0, after: '' }));
      await erase(prefix);
      await commit((rows) => built.put(rows, name, { identity, isWhole: 0, after: '' }));
    }
    await build(name, each, index);
  }
  for (const index of hook.indexes) {
    for (let batch = 0; index.isBehind(store.snapshot()); batch += 1) {
      const { nextItem } = index.indexed(store.snapshot());
      if (batch % 25 === 0)
        log.info({ indexed: nextItem, of: index.source.count(store.snapshot()) }, 'entries of a log are being indexed');
      await commit((rows) => index.advance(rows));
    }
  }
  const upTo = built.get(store.snapshot(), DERIVED)?.after ?? '';
  if (upTo !== '') log.warn({ upTo }, 'rows of derived tables may be those of another onBlock, as blocks are not kept');

  /** If blocks are not kept, rows of tables that have not changed stay unchanged. */
  async function derive(): Promise<void> {
    const snapshot = store.snapshot();
    const { blocks: lowest } = keptIn(snapshot);
    const soft = commitmentRows.get(snapshot)?.soft ?? 0n;
    const hasAll = lowest === 1n;
    const isStale = (each: AnyTable) =>
      hasAll || built.get(snapshot, `${DERIVED}/${each.name}`)?.identity !== toIdentity(each);
    const stale = getDerived(tables).filter(isStale);
    if (!hasAll) for (const each of stale) mustBegin(each, soft, lowest);
    await commit((rows) => {
      if (hasAll) hookGaps.delete(rows);
      for (const [name, { table: each }] of parts)
        if (each === undefined || stale.includes(each)) built.put(rows, name, { identity: '', isWhole: 0, after: '' });
    });
    for (const { prefix } of stale) await erase(prefix);
    await commit((rows) => begin(stale, rows));
    if (hasAll) await deriveRows(hook, Math.min(...stale.map(rowsAtOnce)), store, commit, log);
    await commit((rows) => {
      for (const [name, { identity, index }] of parts) {
        const after = name === DERIVED && !hasAll ? String(soft) : '';
        if (index === undefined) built.put(rows, name, { identity, isWhole: 1, after });
      }
    });
  }

  async function build(name: string, item: AnyTable, index: StoredIndex): Promise<void> {
    const { identity } = index;
    const limit = rowsAtOnce(item);
    let [count, leftOut] = [0, 0];
    const report = (problem: string): void => {
      leftOut += 1;
      if (leftOut <= MOST_LINES) log.error({ problem }, 'a row is in no index');
    };
    for (let batch = 0, isWhole = 0; isWhole === 0; batch += 1) {
      const snapshot = store.snapshot();
      const after = built.get(snapshot, name)?.after ?? '';
      const found = snapshot.range({ prefix: item.prefix, limit, ...(after !== '' && { after }) });
      isWhole = found.length < limit ? 1 : 0;
      await commit((rows) => {
        for (const [key, stored] of found) {
          for (const entry of index.entriesOf(key, stored, report)) rows.put(entry, PRESENT);
        }
        built.put(rows, name, { identity, isWhole, after: found.at(-1)?.[0] ?? after });
      });
      count += found.length;
      if (isWhole === 0 && batch % 25 === 0) log.info({ index: name, rows: count }, 'index is being built');
    }
    log.info({ index: name, rows: count, leftOut }, 'index built');
  }
}

/** Rows that a batch has of a table, however large each of them is. */
const rowsAtOnce = ({ value: { maxBytes, maxItems } }: AnyTable): number =>
  Math.max(1, Math.min(ROWS_AT_ONCE, Math.floor(BYTES_AT_ONCE / maxBytes / maxItems)));

/** The first rows under a prefix, of any type. */
function getBatch(store: Store, prefix: string): readonly Row[] {
  const found: Row[] = [];
  for (let bytes = 0; bytes < BYTES_AT_ONCE && found.length < ROWS_AT_ONCE; ) {
    const [after] = found.at(-1) ?? [];
    const more = store.snapshot().range({ prefix, limit: LARGE_ROWS_AT_ONCE, ...(after !== undefined && { after }) });
    if (more.length === 0) break;
    found.push(...more);
    bytes += more.reduce((sum, [, { length }]) => sum + length, 0);
  }
  return found;
}

function mustBegin({ name, from }: AnyTable, soft: bigint, lowest: bigint): void {
  if (from !== undefined && from > soft) return;
  throw new InvalidConfig({
    variable: `the definition: table ${name}`,
    expected: `a derived table that has been there since block 0, or begins after block ${soft}`,
    got: `one whose rows of the blocks before are missing, since blocks below ${lowest} are not kept`,
    advice: `give it \`from: ${soft + 1n}n\`, or reset the state, so that all blocks are executed again`,
  });
}
