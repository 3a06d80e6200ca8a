import type { Overlay, Snapshot, StateWriter, Store } from '@switchyard/machine';
import type { RollupId, Timestamp } from '@switchyard/protocol';
import type { Logger } from '@switchyard/service';
import { withTimeLimit } from '#time-limit';
import { withBlock } from '../app/block-in-work.ts';
import { BLOCK_LIMIT_MS } from '../app/chain.ts';
import type { FormerRows } from '../app/definition.ts';
import { failureText } from '../app/failure-text.ts';
import { runHook } from '../app/run-hook.ts';
import { sealedWorld } from '../app/sealed-world.ts';
import type { TermIndex } from '../app/search/term-index.ts';
import { type RecordInBytes, storedRecord } from '../app/stored-records.ts';
import { commitmentRows } from '../app/tables.ts';
import { type BlockState, flushLogs } from './log.ts';
import { BOUNDS, countedFor } from './steps.ts';
import { DERIVED_ROWS } from './table.ts';

const BLOCKS_AT_ONCE = 64n;

/** The hook of a definition, for blocks in stored form: so its input is equal whenever it runs. */
export interface Hook {
  /** The function of the definition, whose text is compared. */
  readonly own: unknown;
  readonly rollup: RollupId;
  /** Tables that it may use. */
  readonly rowTables: ReadonlySet<symbol> | undefined;
  readonly formerRows: readonly FormerRows[];
  /** Indexes of logs, which it advances. */
  readonly indexes: readonly TermIndex[];
  run(record: RecordInBytes, state: StateWriter): void;
}

/**
 * Runs work on rows of derived tables alone, as `onBlock` writes them. They follow from the blocks, so that they can be written again.
 */
export function withDerived(
  block: { readonly number: bigint; readonly time: Timestamp },
  rows: StateWriter,
  work: (state: StateWriter) => void,
): void {
  const state: BlockState = { ...derivedRows(rows), block, unwritten: new Map() };
  work(state);
  flushLogs(state);
}

function derivedRows(state: StateWriter): StateWriter {
  const counted = countedFor('onBlock', BOUNDS.whole, state);
  const own = (key: string): string => {
    if (key.startsWith(DERIVED_ROWS)) return key;
    const table = key.split('/').slice(0, 2).join('/');
    throw new Error(
      `onBlock uses ${table}: expected derived tables alone, as a node has the state of its newest block only`,
    );
  };
  return {
    get: (key) => counted.get(own(key)),
    range: (options) => counted.range({ ...options, prefix: own(options.prefix) }),
    put: (key, value) => counted.put(own(key), value),
    delete: (key) => counted.delete(own(key)),
  };
}

/**
 * Runs the hook for all blocks that are stored. A block in which it has a bug is a gap, of which the first is logged.
 *
 * @param rowsAtOnce A batch ends behind the block that brings this many.
 */
export async function deriveRows(
  hook: Hook,
  rowsAtOnce: number,
  store: Store,
  commit: (write: (rows: Overlay) => void) => Promise<void>,
  log: Logger,
): Promise<void> {
  const soft = commitmentRows.get(store.snapshot())?.soft ?? 0n;
  let [block, deposit, gaps] = [1n, 0n, 0];
  for (let batch = 0; block <= soft; batch += 1) {
    if (batch % 25 === 0) log.info({ block, of: soft }, 'derived tables are being written again');
    const last = block + BLOCKS_AT_ONCE;
    await commit((rows) => {
      for (; block <= soft && block < last && rows.size < rowsAtOnce; block += 1n) {
        const { next, bug } = runAgain(hook, store.snapshot(), rows, block, deposit);
        deposit = next;
        if (bug === undefined) continue;
        gaps += 1;
        if (gaps === 1) log.error({ block, error: failureText(bug) }, 'onBlock has a bug: rows of blocks are missing');
      }
    });
  }
  log.info({ blocks: soft, gaps }, 'derived tables written again');
}

function runAgain(hook: Hook, snapshot: Snapshot, rows: Overlay, number: bigint, deposit: bigint) {
  const run = () => {
    const { record, next } = storedRecord(hook.rollup, snapshot, number, deposit);
    return { next, bug: runHook(hook.run, record, rows) };
  };
  try {
    return sealedWorld(() => withBlock(number, () => withTimeLimit(BLOCK_LIMIT_MS, run), hook.rowTables));
  } catch (cause) {
    throw new Error(`derived rows of block ${number} cannot be written: ${failureText(cause)}`, { cause });
  }
}
