import { type StateWriter, type Store, struct, table, text, u32 } from '@switchyard/machine';
import { InvalidConfig, type Logger, turn } from '@switchyard/service';
import { commitmentRows } from '../app/tables.ts';
import { PRESENT, type StoredIndex } from './indexes.ts';
import type { AnyTable } from './table.ts';

/*
 * Rows beside the state of a definition that has changed: indexes that came or changed are built from the rows of their tables, and
 * what is no part of the definition any more is deleted. All of it in batches, each with its place, so that it resumes after any end.
 */

/** Beside each index what it was built by, beside each derived table its types; `after` is the row that was brought last, if more follow. */
const built = table({
  prefix: 'index/built/',
  key: text,
  value: struct({ identity: text, isWhole: u32, after: text }),
});
/** More than a definition has. */
const MOST_PARTS = 10_000;
const ROWS_AT_ONCE = 4_000;
const BYTES_AT_ONCE = 16 * 1_048_576;
/** Rows that an index cannot have are each a line of the log, up to so many. */
const MOST_LINES = 10;

interface Part {
  readonly prefix: string;
  readonly identity: string;
  readonly table: AnyTable;
  /** Undefined for the rows of a derived table. */
  readonly index?: StoredIndex;
}

/** Names of parts are those of their rows in the store: `by/orders/owner`, `rows/history`. */
function partsOf(tables: readonly AnyTable[]): ReadonlyMap<string, Part> {
  const parts = tables.flatMap((each): readonly Part[] => [
    ...(each.isAuthenticated ? [] : [{ prefix: each.prefix, identity: identityOf(each), table: each }]),
    ...each.stored.map((index) => ({ prefix: index.prefix, identity: index.identity, table: each, index })),
  ]);
  return new Map(parts.map((part) => [part.prefix.slice('index/'.length, -1), part]));
}

const identityOf = ({ key, value }: AnyTable) => JSON.stringify([...key, value].map(({ description }) => description));

/** Records the indexes and derived tables of a chain that begins: they are written with its blocks. */
export function recordIndexes(tables: readonly AnyTable[], rows: StateWriter): void {
  for (const [name, { identity }] of partsOf(tables)) built.put(rows, name, { identity, isWhole: 1, after: '' });
}

/**
 * Brings indexes and derived tables of a store to those of a definition.
 *
 * @throws {InvalidConfig} for a derived table that has come to blocks without it: these were not given to its hook.
 */
export async function buildIndexes(
  tables: readonly AnyTable[],
  store: Store,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const parts = partsOf(tables);
  const commit = async (write: (rows: StateWriter) => void): Promise<void> => {
    signal.throwIfAborted();
    const rows = store.begin();
    write(rows);
    await store.commit(store.seal(rows, (store.head().height ?? -1n) + 1n));
    await turn();
  };
  const erase = async (prefix: string): Promise<void> => {
    for (;;) {
      const found = store.snapshot().range({ prefix, limit: ROWS_AT_ONCE });
      if (found.length === 0) return;
      await commit((rows) => {
        for (const [key] of found) rows.delete(key);
      });
    }
  };
  for (const [name] of [...built.range(store.snapshot(), { limit: MOST_PARTS })]) {
    if (parts.has(name)) continue;
    log.info({ part: name }, 'rows of an index or derived table that the definition no longer has are deleted');
    await erase(`index/${name}/`);
    await commit((rows) => built.delete(rows, name));
  }
  for (const [name, { prefix, identity, table: each, index }] of parts) {
    const found = built.get(store.snapshot(), name);
    if (found?.identity === identity && found.isWhole === 1) continue;
    if (index === undefined) {
      mustBegin(each, commitmentRows.get(store.snapshot())?.soft ?? 0n);
      await commit((rows) => built.put(rows, name, { identity, isWhole: 1, after: '' }));
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

  async function build(name: string, of: AnyTable, index: StoredIndex): Promise<void> {
    const { identity } = index;
    const limit = Math.max(
      1,
      Math.min(ROWS_AT_ONCE, Math.floor(BYTES_AT_ONCE / of.value.maxBytes / of.value.maxItems)),
    );
    let [count, leftOut] = [0, 0];
    const report = (problem: string): void => {
      leftOut += 1;
      if (leftOut <= MOST_LINES) log.error({ problem }, 'a row is in no index');
    };
    for (let batch = 0, isWhole = 0; isWhole === 0; batch += 1) {
      const snapshot = store.snapshot();
      const after = built.get(snapshot, name)?.after ?? '';
      const found = snapshot.range({ prefix: of.prefix, limit, ...(after !== '' && { after }) });
      isWhole = found.length < limit ? 1 : 0;
      await commit((rows) => {
        for (const [key, stored] of found) {
          const entry = index.entryOf(key, stored, report);
          if (entry !== undefined) rows.put(entry, PRESENT);
        }
        built.put(rows, name, { identity, isWhole, after: found.at(-1)?.[0] ?? after });
      });
      count += found.length;
      if (isWhole === 0 && batch % 25 === 0) log.info({ index: name, rows: count }, 'index is being built');
    }
    log.info({ index: name, rows: count, leftOut }, 'index built');
  }
}

function mustBegin({ name, from }: AnyTable, soft: bigint): void {
  if (from !== undefined && from > soft) return;
  throw new InvalidConfig([
    {
      variable: `the definition: table ${name}`,
      expected: `a derived table that has been there since block 0, or begins after block ${soft}`,
      got: 'one whose rows of the blocks before are missing, since blocks keep less than its hook is given',
      advice: `give it \`from: ${soft + 1n}n\`, or reset the state, so that all blocks are executed again`,
    },
  ]);
}
