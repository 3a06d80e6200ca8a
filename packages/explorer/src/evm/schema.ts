import type { RollupId } from '@switchyard/protocol';
import type { Statement } from '../store/store.ts';
import type { Table } from '../store/table.ts';

/*
 * Tables of EVM rollups in the index. Identities are lower-case hex without `0x`, quantities of 256 bits are decimal text, or
 * 64 hex digits where they are ordered. `rollup` is the key below. `position` is that of a transaction in its block, `log` that of a log.
 */

const BLOCK = ['rollup TEXT NOT NULL', 'number BIGINT NOT NULL'];
const PLACE = [...BLOCK, 'position BIGINT NOT NULL'];

export const EVM_TABLES: readonly Table[] = [
  {
    name: 'evm_blocks',
    columns: [
      ...[...BLOCK, 'hash TEXT NOT NULL', 'parent_hash TEXT NOT NULL', 'time BIGINT NOT NULL'],
      ...['transactions BIGINT NOT NULL', 'gas_used BIGINT NOT NULL', 'gas_limit BIGINT NOT NULL'],
      ...['base_fee TEXT NOT NULL', 'size BIGINT NOT NULL', 'deposits BIGINT NOT NULL', 'sequencer_hash TEXT NOT NULL'],
    ],
    key: 'rollup, number',
    indexes: ['hash'],
  },
  {
    name: 'evm_transactions',
    columns: [
      ...[...PLACE, 'hash TEXT NOT NULL', 'submission TEXT NOT NULL', 'sender TEXT NOT NULL', 'recipient TEXT'],
      ...['created TEXT', 'value TEXT NOT NULL', 'gas_price TEXT NOT NULL', 'gas_limit BIGINT NOT NULL'],
      ...['gas_used BIGINT NOT NULL', 'max_fee TEXT', 'max_tip TEXT', 'status BIGINT NOT NULL', 'type BIGINT NOT NULL'],
      // The first bytes of the input; `input_size` counts all.
      ...['nonce BIGINT NOT NULL', 'input TEXT NOT NULL', 'input_size BIGINT NOT NULL', 'logs BIGINT NOT NULL'],
      // Gas of the block up to and with it.
      ...['internal_calls BIGINT', 'cumulative_gas BIGINT NOT NULL'],
    ],
    key: 'rollup, number, position',
    indexes: ['hash'],
  },
  {
    name: 'evm_logs',
    columns: [
      ...[...BLOCK, 'log BIGINT NOT NULL', 'position BIGINT NOT NULL', 'address TEXT NOT NULL'],
      ...[
        'topic0 TEXT',
        'topic1 TEXT',
        'topic2 TEXT',
        'topic3 TEXT',
        'data TEXT NOT NULL',
        'data_size BIGINT NOT NULL',
      ],
    ],
    key: 'rollup, number, log',
    indexes: ['rollup, address, number, log'],
  },
  {
    name: 'evm_internal',
    columns: [
      ...[...PLACE, 'ordinal BIGINT NOT NULL', 'kind TEXT NOT NULL', 'sender TEXT NOT NULL'],
      ...['recipient TEXT NOT NULL', 'value TEXT NOT NULL', 'depth BIGINT NOT NULL'],
    ],
    key: 'rollup, number, position, ordinal',
  },
  {
    name: 'evm_deposits',
    columns: [...BLOCK, 'ordinal BIGINT NOT NULL', 'address TEXT NOT NULL', 'amount TEXT NOT NULL'],
    key: 'rollup, number, ordinal',
    indexes: ['rollup, address, number, ordinal'],
  },
  {
    // Events of contracts; `event` is what a withdrawal on the sequencer names.
    name: 'evm_withdrawals',
    columns: [
      ...[...BLOCK, 'log BIGINT NOT NULL', 'position BIGINT NOT NULL', 'contract TEXT NOT NULL'],
      ...['sender TEXT NOT NULL', 'kind TEXT NOT NULL', 'amount TEXT NOT NULL', 'destination TEXT NOT NULL'],
      'event TEXT NOT NULL',
    ],
    key: 'rollup, number, log',
    indexes: ['rollup, sender, number, log', 'event'],
  },
  {
    name: 'evm_addresses',
    columns: [
      ...[
        'rollup TEXT NOT NULL',
        'address TEXT NOT NULL',
        'first_number BIGINT NOT NULL',
        'last_number BIGINT NOT NULL',
      ],
      ...['transactions BIGINT NOT NULL', 'internal_calls BIGINT NOT NULL', 'transfers BIGINT NOT NULL'],
      // The last two are for a contract that was created since block 1.
      ...['deposits BIGINT NOT NULL', 'creator TEXT', 'creation TEXT'],
    ],
    key: 'rollup, address',
  },
  {
    name: 'evm_address_transactions',
    columns: ['rollup TEXT NOT NULL', 'address TEXT NOT NULL', 'number BIGINT NOT NULL', 'position BIGINT NOT NULL'],
    key: 'rollup, address, number, position',
  },
  {
    name: 'evm_address_internal',
    columns: [
      ...['rollup TEXT NOT NULL', 'address TEXT NOT NULL', 'number BIGINT NOT NULL', 'position BIGINT NOT NULL'],
      'ordinal BIGINT NOT NULL',
    ],
    key: 'rollup, address, number, position, ordinal',
  },
  {
    name: 'evm_transfers',
    columns: [
      ...[...BLOCK, 'log BIGINT NOT NULL', 'item BIGINT NOT NULL', 'position BIGINT NOT NULL', 'token TEXT NOT NULL'],
      ...['kind TEXT NOT NULL', 'sender TEXT NOT NULL', 'recipient TEXT NOT NULL', 'token_id TEXT'],
      'amount TEXT NOT NULL',
    ],
    key: 'rollup, number, log, item',
    indexes: ['rollup, token, number, log, item'],
  },
  {
    name: 'evm_address_transfers',
    columns: [
      ...['rollup TEXT NOT NULL', 'address TEXT NOT NULL', 'number BIGINT NOT NULL', 'log BIGINT NOT NULL'],
      'item BIGINT NOT NULL',
    ],
    key: 'rollup, address, number, log, item',
  },
  {
    name: 'evm_tokens',
    columns: [
      ...['rollup TEXT NOT NULL', 'address TEXT NOT NULL', 'kind TEXT NOT NULL', 'number BIGINT NOT NULL'],
      ...['transfers BIGINT NOT NULL', 'holders BIGINT NOT NULL'],
      // Answers of its contract; `described` is 0 until it was asked.
      ...['described BIGINT NOT NULL', 'name TEXT', 'symbol TEXT', 'decimals BIGINT', 'supply TEXT'],
      // 0 where its logs do not add up to what `balanceOf` answers.
      'exact BIGINT NOT NULL',
      // 1 while its contract is to be asked, and the block for which it was asked last.
      ...['due BIGINT NOT NULL', 'asked BIGINT NOT NULL'],
    ],
    key: 'rollup, address',
    indexes: ['rollup, transfers, address', 'rollup, due, asked'],
  },
  {
    name: 'evm_holders',
    columns: [
      ...['rollup TEXT NOT NULL', 'token TEXT NOT NULL', 'holder TEXT NOT NULL', 'balance TEXT NOT NULL'],
      'number BIGINT NOT NULL',
    ],
    key: 'rollup, token, holder',
    indexes: ['rollup, token, balance, holder', 'rollup, holder, token'],
  },
  {
    name: 'evm_items',
    columns: [
      ...['rollup TEXT NOT NULL', 'token TEXT NOT NULL', 'token_id TEXT NOT NULL', 'holder TEXT NOT NULL'],
      'amount TEXT NOT NULL',
    ],
    key: 'rollup, token, token_id, holder',
    indexes: ['rollup, holder, token, token_id'],
  },
];

/** Stands for a rollup in each row: the whole id would be most of the index. */
export const evmKey = (rollup: RollupId): string => rollup.slice(0, 16);

/** Deletes all that the index has of an EVM rollup. */
export function clearEvm(rollup: RollupId): Statement[] {
  return EVM_TABLES.map(({ name }) => ({ sql: `DELETE FROM ${name} WHERE rollup = ?`, params: [evmKey(rollup)] }));
}
