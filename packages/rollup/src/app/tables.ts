import {
  accountId,
  bytes,
  type KeyCodec,
  list,
  raw,
  type StateReader,
  type StateWriter,
  struct,
  table,
  text,
  txHash,
  u32,
  u32Key,
  u64,
  u64Key,
  u128,
  type ValueCodec,
} from '@switchyard/machine/browser';
import type { BlockHash } from '@switchyard/protocol';

/*
 * Rows that a rollup keeps alongside its state: one for each block, and answers to questions about it. They are written
 * with the block and are no part of the state root; the block hash commits to them if that matters.
 * Keys rise with the block number wherever there is one, so that writing them touches few pages of the database.
 */

/** One row under a prefix of its own. */
function single<V>(prefix: string, value: ValueCodec<V>) {
  const rows = table({ prefix, key: u32Key, value });
  return {
    get: (state: StateReader): V | undefined => rows.get(state, 0),
    put: (state: StateWriter, row: V): void => rows.put(state, 0, row),
    delete: (state: StateWriter): void => rows.delete(state, 0),
  };
}

/** Origin of the database: a node refuses to continue with another genesis. */
export const origins = single('index/origin/', struct({ rollupName: text, digest: txHash }));

/** The soft and firm blocks, by number. */
export const commitmentRows = single(
  'index/commitments/',
  struct({ soft: u64, firm: u64, lowestCelestiaSearchHeight: u64 }),
);

/** Evidence that made the firm blocks firm. Absent until a conductor has stated it. */
export const firmMeaningRow = single('index/firm-meaning/', text);

/** The first 8 bytes of a block hash are enough to find it; its row then shows the rest. */
const shortHash: KeyCodec<BlockHash> = {
  parts: 1,
  toKey: (hash) => hash.slice(0, 16),
  fromKey: () => {
    throw new Error('a short hash has no long one');
  },
};
export const blockNumbers = table({ prefix: 'index/block-by-hash/', key: shortHash, value: u64 });

/** For each block with transactions: 8 bytes number of the block before it that has some, then 33 bytes for each. */
export const receiptRows = table({ prefix: 'index/receipts/', key: u64Key, value: raw });

/** Rows that a block changed and the signers of its transactions, in the form of `streams/changes.ts`. */
export const changeRows = table({ prefix: 'index/changes/', key: u64Key, value: raw });
/** First block of the list of changes without a gap behind it, and the bytes of all of its rows. */
export const changesKept = single('index/changes-kept/', struct({ from: u64, bytes: u64 }));

/** Why transactions of a block were refused, for the first ones of each block. */
export const refusalRows = table({
  prefix: 'index/refusals/',
  key: u64Key,
  value: list(struct({ index: u32, hash: txHash, code: u32, message: text, facts: bytes })),
});

/** Numbers of the deposits that were not credited: their funds stay locked on the sequencer. */
export const skippedDeposits = table({ prefix: 'index/skipped-deposits/', key: u64Key, value: raw });

/** All deposits in their order, with the account that was credited, or why none was. */
export const depositRows = table({
  prefix: 'index/deposits/',
  key: u64Key,
  value: struct({
    ...{ block: u64, bridge: accountId, bridgePrefix: text, amount: u128, asset: text, destination: text },
    ...{ sourceTransaction: txHash, sourceAction: u64 },
    /** Empty if none was credited. */
    account: text,
    /** Why none was, or why the account for failed deposits was. */
    message: text,
  }),
});
export const depositCount = single('index/deposit-count/', u64);

/** Blocks without the rows of `onBlock`, which had a bug. */
export const hookGaps = single('index/hook-gaps/', struct({ first: u64, last: u64, blocks: u64 }));

/** First numbers that were not deleted: block with a row, block with receipts, run of outcomes. */
const keptRow = struct({ blocks: u64, receipts: u64, run: u64 });
export type Kept = ReturnType<(typeof keptRow)['read']>;
export const kept = single('index/kept/', keptRow);

/** The newest block of each run of outcomes. */
export const runEnds = table({ prefix: 'index/fates-end/', key: u64Key, value: u64 });

/** Transactions that are not yet in a run: the newest block that has some, how many, and the number of the next run. */
export const openOutcomes = single('index/fates-open/', struct({ lastBlock: u64, transactions: u32, nextRun: u64 }));
