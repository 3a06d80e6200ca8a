import type { RollupId } from '@switchyard/protocol';
import { INDEX_FILE } from '../config.ts';
import { EVM_TABLES } from './evm-tables.ts';
import { hashPrefix } from './statements.ts';
import type { Statement } from './store.ts';
import { numbers, type Schema, type Table, texts } from './table.ts';

/**
 * The tables, once for both kinds of store. A column's meaning follows from its name; `time` is in milliseconds since
 * the Unix epoch, identities are lower-case hex. A change of anything here needs a new format: the index is then made again.
 */
const FORMAT = 'switchyard-explorer-index-6';

const CORE_TABLES: readonly Table[] = [
  { name: 'meta', columns: texts('key', 'value'), key: 'key' },
  { name: 'cursors', columns: [...texts('name', 'hash'), ...numbers('height')], key: 'name' },
  {
    name: 'blocks',
    columns: [
      // `fees`: sums by asset, in JSON.
      ...texts('hash', 'proposer', 'fees'),
      ...numbers('height', 'time', 'transactions', 'failed', 'size', 'submissions', 'submission_bytes', 'deposits'),
      // Facts of the commit, which the next block brings.
      ...['round BIGINT', 'signed BIGINT', 'validators BIGINT', 'absent TEXT'],
    ],
    key: 'height',
    indexes: [hashPrefix('hash')],
  },
  {
    name: 'block_rollups',
    columns: [...texts('rollup'), ...numbers('height', 'submissions', 'bytes', 'deposits')],
    key: 'rollup, height',
    indexes: ['height'],
  },
  {
    name: 'transactions',
    columns: [
      ...texts('hash', 'signer', 'reason', 'kinds', 'actions', 'fees'),
      ...numbers('height', 'position', 'nonce', 'code', 'size', 'action_count'),
    ],
    key: 'height, position',
    indexes: ['hash'],
  },
  {
    name: 'accounts',
    columns: [...texts('account'), ...numbers('first_height', 'last_height', 'transactions')],
    key: 'account',
  },
  {
    name: 'account_transactions',
    columns: [...texts('account'), ...numbers('height', 'position')],
    key: 'account, height, position',
  },
  {
    name: 'bridges',
    columns: [
      ...texts('account', 'rollup', 'asset', 'transaction_hash'),
      ...numbers('height', 'deposits', 'withdrawals'),
    ],
    key: 'account',
    indexes: ['rollup'],
  },
  {
    name: 'deposits',
    columns: [
      ...texts('rollup', 'transaction_hash', 'bridge', 'asset', 'amount', 'destination', 'sender'),
      ...numbers('height', 'position', 'action'),
    ],
    key: 'rollup, height, position',
    indexes: ['bridge, height, position', 'sender, height, position', 'transaction_hash'],
  },
  {
    // Payments of bridge accounts for rollups: `event` is the rollup's name for it, in the words of who withdrew it.
    name: 'withdrawals',
    columns: [
      ...texts(
        'transaction_hash',
        'kind',
        'bridge',
        'recipient',
        'amount',
        'memo',
        'destination',
        'rollup_block',
        'event',
      ),
      ...numbers('height', 'position', 'action'),
    ],
    key: 'height, position',
    indexes: ['bridge, height, position', 'recipient, height, position', 'event'],
  },
  {
    name: 'submissions',
    columns: [
      ...texts('rollup', 'hash'),
      // The last is the position of the sequencer transaction in its block.
      ...numbers('height', 'position', 'size', 'transaction_position'),
    ],
    key: 'rollup, height, position',
  },
  // Hashes of submissions in order, some thousands in a run, and the last block of each run.
  {
    name: 'hash_runs',
    columns: [...numbers('run'), ...texts('first', 'entries')],
    key: 'run, first',
  },
  { name: 'hash_run_ends', columns: numbers('run', 'height'), key: 'run' },
  {
    name: 'validators',
    columns: [...texts('address', 'public_key', 'power'), ...numbers('active', 'proposed', 'signed', 'missed')],
    key: 'address',
  },
  {
    name: 'rollups',
    columns: [...texts('rollup'), ...numbers('first_height', 'last_height', 'submissions', 'bytes', 'deposits')],
    key: 'rollup',
  },
  {
    name: 'rollup_blocks',
    columns: [
      ...texts('rollup', 'hash', 'sequencer_hash'),
      ...numbers('number', 'time', 'executed', 'refused', 'deposits', 'skipped_deposits', 'seen'),
    ],
    key: 'rollup, number',
    indexes: [`rollup, ${hashPrefix('sequencer_hash')}`, hashPrefix('hash')],
  },
  {
    name: 'refusals',
    columns: [...texts('rollup', 'hash', 'reason'), ...numbers('number', 'position', 'code')],
    key: 'rollup, number, position',
    indexes: ['hash'],
  },
  {
    name: 'skipped_deposits',
    columns: [...texts('rollup', 'transaction_hash', 'reason'), ...numbers('id', 'number', 'action')],
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

/** Deletes the rows of a followed rollup from the index. */
export const clearRollup = (rollup: RollupId): Statement[] =>
  ROLLUP_NODE_TABLES.map((table) => ({ sql: `DELETE FROM ${table} WHERE rollup = ?`, params: [rollup] }));
