/**
 * The tables, once for both kinds of store. What a column means follows from its name; `time` is in milliseconds since
 * the Unix epoch, identities are lower-case hex. A change of anything here needs a new format: the index is then made again.
 */
export const FORMAT = 'switchyard-explorer-index-1';

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: string;
  /** Columns of further indexes. */
  readonly indexes?: readonly string[];
}

const TABLES: readonly Table[] = [
  { name: 'meta', columns: ['key TEXT NOT NULL', 'value TEXT NOT NULL'], key: 'key' },
  { name: 'cursors', columns: ['name TEXT NOT NULL', 'height BIGINT NOT NULL', 'hash TEXT NOT NULL'], key: 'name' },
  {
    name: 'blocks',
    columns: [
      ...['height BIGINT NOT NULL', 'hash TEXT NOT NULL', 'time BIGINT NOT NULL', 'proposer TEXT NOT NULL'],
      ...['transactions BIGINT NOT NULL', 'failed BIGINT NOT NULL', 'size BIGINT NOT NULL'],
      ...['submissions BIGINT NOT NULL', 'submission_bytes BIGINT NOT NULL', 'deposits BIGINT NOT NULL'],
      // Of the commit, which the next block brings.
      ...['round BIGINT', 'signed BIGINT', 'validators BIGINT', 'absent TEXT'],
    ],
    key: 'height',
    indexes: ['hash'],
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
      ...['transaction_hash TEXT NOT NULL', 'deposits BIGINT NOT NULL'],
    ],
    key: 'account',
    indexes: ['rollup'],
  },
  {
    name: 'deposits',
    columns: [
      ...['rollup TEXT NOT NULL', 'height BIGINT NOT NULL', 'position BIGINT NOT NULL'],
      ...['transaction_hash TEXT NOT NULL', 'action BIGINT NOT NULL', 'bridge TEXT NOT NULL'],
      ...['asset TEXT NOT NULL', 'amount TEXT NOT NULL', 'destination TEXT NOT NULL'],
    ],
    key: 'rollup, height, position',
    indexes: ['bridge, height, position', 'transaction_hash'],
  },
  {
    name: 'submissions',
    columns: [
      ...['rollup TEXT NOT NULL', 'height BIGINT NOT NULL', 'position BIGINT NOT NULL'],
      // Of the sequencer transaction in its block.
      ...['hash TEXT NOT NULL', 'size BIGINT NOT NULL', 'transaction_position BIGINT NOT NULL'],
    ],
    key: 'rollup, height, position',
    indexes: ['hash'],
  },
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
    indexes: ['rollup, sequencer_hash', 'hash'],
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

export const TABLE_NAMES: readonly string[] = TABLES.map(({ name }) => name);

/** Whose rows belong to the following of one rollup, and go with it. */
export const ROLLUP_NODE_TABLES = ['rollup_blocks', 'refusals', 'skipped_deposits'] as const;

/** What makes the tables where they are absent. @param suffix After each table, for what only one kind of store has. */
export function createTables(suffix = ''): string[] {
  return TABLES.flatMap(({ name, columns, key, indexes = [] }) => [
    `CREATE TABLE IF NOT EXISTS ${name} (${columns.join(', ')}, PRIMARY KEY (${key}))${suffix}`,
    ...indexes.map((index, at) => `CREATE INDEX IF NOT EXISTS ${name}_${at} ON ${name} (${index})`),
  ]);
}

/** What empties the index. */
export const dropTables = (): string[] => TABLE_NAMES.map((name) => `DROP TABLE IF EXISTS ${name}`);
