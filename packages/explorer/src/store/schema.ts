import type { RollupId } from '@switchyard/protocol';
import { INDEX_FILE } from '../config.ts';
import { EVM_TABLES } from '../evm/schema.ts';
import { hashPrefix } from './statements.ts';
import type { Statement } from './store.ts';
import type { Schema, Table } from './table.ts';

/**
 * The tables, once for both kinds of store. A column's meaning follows from its name; `time` is in milliseconds since
 * the Unix epoch, identities are lower-case hex. A change of anything here needs a new format: the index is then made again.
 */
const FORMAT = 'switchyard-explorer-index-6';

const CORE_TABLES: readonly Table[] = [
  { name: 'meta', columns: ['key TEXT NOT NULL', 'value TEXT NOT NULL'], key: 'key' },
  { name: 'cursors', columns: ['name TEXT NOT NULL', 'height BIGINT NOT NULL', 'hash TEXT NOT NULL'], key: 'name' },
  {
    name: 'blocks',
    columns: [
      ...['height BIGINT NOT NULL', 'hash TEXT NOT NULL', 'time BIGINT NOT NULL', 'proposer TEXT NOT NULL'],
      ...['transactions BIGINT NOT NULL', 'failed BIGINT NOT NULL', 'size BIGINT NOT NULL'],
      ...['submissions BIGINT NOT NULL', 'submission_bytes BIGINT NOT NULL', 'deposits BIGINT NOT NULL'],
      // Sums by asset, in JSON.
      'fees TEXT NOT NULL',
      // Facts of the commit, which the next block brings.
      ...['round BIGINT', 'signed BIGINT', 'validators BIGINT', 'absent TEXT'],
    ],
    key: 'height',
    indexes: [hashPrefix('hash')],
  },
  {
    name: 'block_rollups',
    columns: [
      ...['rollup TEXT NOT NULL', 'height BIGINT NOT NULL', 'submissions BIGINT NOT NULL'],
      ...['bytes BIGINT NOT NULL', 'deposits BIGINT NOT NULL'],
    ],
    key: 'rollup, height',
    indexes: ['height'],
  },
  {
    name: 'transactions',
    columns: [
      ...['height BIGINT NOT NULL', 'position BIGINT NOT NULL', 'hash TEXT NOT NULL', 'signer TEXT NOT NULL'],
      ...['nonce BIGINT NOT NULL', 'code BIGINT NOT NULL', 'reason TEXT NOT NULL', 'size BIGINT NOT NULL'],
      ...['action_count BIGINT NOT NULL', 'kinds TEXT NOT NULL', 'actions TEXT NOT NULL', 'fees TEXT NOT NULL'],
    ],
    key: 'height, position',
    indexes: ['hash'],
  },
  {
    name: 'accounts',
    columns: [
      ...['account TEXT NOT NULL', 'first_height BIGINT NOT NULL', 'last_height BIGINT NOT NULL'],
      'transactions BIGINT NOT NULL',
    ],
    key: 'account',
  },
  {
    name: 'account_transactions',
    columns: ['account TEXT NOT NULL', 'height BIGINT NOT NULL', 'position BIGINT NOT NULL'],
    key: 'account, height, position',
  },
  {
    name: 'bridges',
    columns: [
      ...['account TEXT NOT NULL', 'rollup TEXT NOT NULL', 'asset TEXT NOT NULL', 'height BIGINT NOT NULL'],
      ...['transaction_hash TEXT NOT NULL', 'deposits BIGINT NOT NULL', 'withdrawals BIGINT NOT NULL'],
    ],
    key: 'account',
    indexes: ['rollup'],
  },
  {
    name: 'deposits',
    columns: [
      ...['rollup TEXT NOT NULL', 'height BIGINT NOT NULL', 'position BIGINT NOT NULL'],
      ...['transaction_hash TEXT NOT NULL', 'action BIGINT NOT NULL', 'bridge TEXT NOT NULL'],
      ...['asset TEXT NOT NULL', 'amount TEXT NOT NULL', 'destination TEXT NOT NULL', 'sender TEXT NOT NULL'],
    ],
    key: 'rollup, height, position',
    indexes: ['bridge, height, position', 'sender, height, position', 'transaction_hash'],
  },
  {
    // Payments of bridge accounts for rollups: `event` is the rollup's name for it, in the words of who withdrew it.
    name: 'withdrawals',
    columns: [
      ...['height BIGINT NOT NULL', 'position BIGINT NOT NULL', 'transaction_hash TEXT NOT NULL'],
      ...['action BIGINT NOT NULL', 'kind TEXT NOT NULL', 'bridge TEXT NOT NULL', 'recipient TEXT NOT NULL'],
      ...['amount TEXT NOT NULL', 'memo TEXT NOT NULL', 'destination TEXT NOT NULL'],
      ...['rollup_block TEXT NOT NULL', 'event TEXT NOT NULL'],
    ],
    key: 'height, position',
    indexes: ['bridge, height, position', 'recipient, height, position', 'event'],
  },
  {
    name: 'submissions',
    columns: [
      ...['rollup TEXT NOT NULL', 'height BIGINT NOT NULL', 'position BIGINT NOT NULL'],
      // The last is the position of the sequencer transaction in its block.
      ...['hash TEXT NOT NULL', 'size BIGINT NOT NULL', 'transaction_position BIGINT NOT NULL'],
    ],
    key: 'rollup, height, position',
  },
  // Hashes of submissions in order, some thousands in a run, and the last block of each run.
  {
    name: 'hash_runs',
    columns: ['run BIGINT NOT NULL', 'first TEXT NOT NULL', 'entries TEXT NOT NULL'],
    key: 'run, first',
  },
  { name: 'hash_run_ends', columns: ['run BIGINT NOT NULL', 'height BIGINT NOT NULL'], key: 'run' },
  {
    name: 'validators',
    columns: [
      ...['address TEXT NOT NULL', 'public_key TEXT NOT NULL', 'power TEXT NOT NULL', 'active BIGINT NOT NULL'],
      ...['proposed BIGINT NOT NULL', 'signed BIGINT NOT NULL', 'missed BIGINT NOT NULL'],
    ],
    key: 'address',
  },
  {
    name: 'rollups',
    columns: [
      ...['rollup TEXT NOT NULL', 'first_height BIGINT NOT NULL', 'last_height BIGINT NOT NULL'],
      ...['submissions BIGINT NOT NULL', 'bytes BIGINT NOT NULL', 'deposits BIGINT NOT NULL'],
    ],
    key: 'rollup',
  },
  {
    name: 'rollup_blocks',
    columns: [
      ...['rollup TEXT NOT NULL', 'number BIGINT NOT NULL', 'hash TEXT NOT NULL', 'time BIGINT NOT NULL'],
      ...['sequencer_hash TEXT NOT NULL', 'executed BIGINT NOT NULL', 'refused BIGINT NOT NULL'],
      ...['deposits BIGINT NOT NULL', 'skipped_deposits BIGINT NOT NULL', 'seen BIGINT NOT NULL'],
    ],
    key: 'rollup, number',
    indexes: [`rollup, ${hashPrefix('sequencer_hash')}`, hashPrefix('hash')],
  },
  {
    name: 'refusals',
    columns: [
      ...['rollup TEXT NOT NULL', 'number BIGINT NOT NULL', 'position BIGINT NOT NULL', 'hash TEXT NOT NULL'],
      ...['code BIGINT NOT NULL', 'reason TEXT NOT NULL'],
    ],
    key: 'rollup, number, position',
    indexes: ['hash'],
  },
  {
    name: 'skipped_deposits',
    columns: [
      ...['rollup TEXT NOT NULL', 'id BIGINT NOT NULL', 'number BIGINT NOT NULL'],
      ...['transaction_hash TEXT NOT NULL', 'action BIGINT NOT NULL', 'reason TEXT NOT NULL'],
    ],
    key: 'rollup, id',
    indexes: ['transaction_hash'],
  },
];

const TABLES: readonly Table[] = [...CORE_TABLES, ...EVM_TABLES];

/** Tables that are made from the chain. */
export const INDEX: Schema = {
  format: FORMAT,
  file: INDEX_FILE,
  formatTable: 'meta',
  tables: TABLES,
  isDerived: true,
  whenDamaged: 'the index is damaged, filling a new one',
};

export const TABLE_NAMES: readonly string[] = TABLES.map(({ name }) => name);

/** Tables with rows that belong to the following of one rollup, and are deleted with it. */
const ROLLUP_NODE_TABLES = ['rollup_blocks', 'refusals', 'skipped_deposits'] as const;

/** Deletes what following a rollup has put into the index. */
export const clearRollup = (rollup: RollupId): Statement[] =>
  ROLLUP_NODE_TABLES.map((table) => ({ sql: `DELETE FROM ${table} WHERE rollup = ?`, params: [rollup] }));
