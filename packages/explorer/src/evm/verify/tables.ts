import type { Schema } from '../../store/table.ts';

/**
 * Verified contracts. Their sources come from users and cannot be made again from the chain, so they are not in the index:
 * a file, or tables, of their own, which nothing empties. Rows name the code that they describe, and count only while an
 * address has that code, so that those of a rollup that was reset do no harm.
 */
export const CONTRACTS: Schema = {
  format: 'switchyard-explorer-contracts-1',
  file: 'contracts.db',
  formatTable: 'contract_meta',
  isDerived: false,
  whenDamaged: 'the file of verified contracts is damaged, beginning a new one; restore a backup, or verify them again',
  tables: [
    { name: 'contract_meta', columns: ['key TEXT NOT NULL', 'value TEXT NOT NULL'], key: 'key' },
    {
      name: 'contracts',
      columns: [
        ...['rollup TEXT NOT NULL', 'address TEXT NOT NULL', 'code_hash TEXT NOT NULL', 'kind TEXT NOT NULL'],
        ...['path TEXT NOT NULL', 'name TEXT NOT NULL', 'compiler TEXT NOT NULL', 'arguments TEXT'],
        ...['libraries TEXT NOT NULL', 'abi TEXT NOT NULL', 'input TEXT NOT NULL', 'time BIGINT NOT NULL'],
      ],
      key: 'rollup, address',
      indexes: ['rollup, time'],
    },
    {
      // Standard JSON by its SHA-256: contracts of one project share it.
      name: 'contract_inputs',
      columns: ['hash TEXT NOT NULL', 'input TEXT NOT NULL'],
      key: 'hash',
    },
    {
      // Items of all verified ABIs, as JSON.
      name: 'contract_signatures',
      columns: ['kind TEXT NOT NULL', 'selector TEXT NOT NULL', 'signature TEXT NOT NULL', 'item TEXT NOT NULL'],
      key: 'kind, selector, signature',
    },
  ],
};
