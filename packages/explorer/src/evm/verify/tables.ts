import { numbers, type Schema, texts } from '../../store/table.ts';

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
    { name: 'contract_meta', columns: texts('key', 'value'), key: 'key' },
    {
      name: 'contracts',
      columns: [
        ...texts('rollup', 'address', 'code_hash', 'kind', 'path', 'name', 'compiler', 'libraries', 'abi', 'input'),
        ...['arguments TEXT', ...numbers('time')],
      ],
      key: 'rollup, address',
      indexes: ['rollup, time'],
    },
    {
      // Standard JSON by its SHA-256: contracts of one project share it.
      name: 'contract_inputs',
      columns: texts('hash', 'input'),
      key: 'hash',
    },
    {
      // Items of all verified ABIs, as JSON.
      name: 'contract_signatures',
      columns: texts('kind', 'selector', 'signature', 'item'),
      key: 'kind, selector, signature',
    },
  ],
};
