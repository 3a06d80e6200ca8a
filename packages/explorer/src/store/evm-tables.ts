import type { RollupId } from '@switchyard/protocol';
import type { Statement } from './store.ts';
import { numbers, type Table, texts } from './table.ts';

/*
 * Tables of EVM rollups in the index. Identities are lower-case hex without `0x`, quantities of 256 bits are decimal text, or
 * 64 hex digits if they are ordered. `rollup` is the key below. `position` is that of a transaction in its block, `log` that of a log.
 */

export const EVM_TABLES: readonly Table[] = [
  {
    name: 'evm_blocks',
    columns: [
      ...texts('rollup', 'hash', 'parent_hash', 'base_fee', 'sequencer_hash'),
      ...numbers('number', 'time', 'transactions', 'gas_used', 'gas_limit', 'size', 'deposits'),
    ],
    key: 'rollup, number',
    indexes: ['hash'],
  },
  {
    name: 'evm_transactions',
    columns: [
      // `input` has the first bytes; `input_size` counts all. `cumulative_gas` is that of the block up to and with it.
      ...texts('rollup', 'hash', 'submission', 'sender', 'value', 'gas_price', 'input'),
      ...['recipient TEXT', 'created TEXT', 'max_fee TEXT', 'max_tip TEXT', 'internal_calls BIGINT'],
      ...numbers('number', 'position', 'gas_limit', 'gas_used', 'status', 'type', 'nonce', 'input_size', 'logs'),
      ...numbers('cumulative_gas'),
    ],
    key: 'rollup, number, position',
    indexes: ['hash'],
  },
  {
    name: 'evm_logs',
    columns: [
      ...texts('rollup', 'address', 'data'),
      ...['topic0 TEXT', 'topic1 TEXT', 'topic2 TEXT', 'topic3 TEXT'],
      ...numbers('number', 'log', 'position', 'data_size'),
    ],
    key: 'rollup, number, log',
    indexes: ['rollup, address, number, log'],
  },
  {
    name: 'evm_internal',
    columns: [
      ...texts('rollup', 'kind', 'sender', 'recipient', 'value'),
      ...numbers('number', 'position', 'ordinal', 'depth'),
    ],
    key: 'rollup, number, position, ordinal',
  },
  {
    name: 'evm_deposits',
    columns: [...texts('rollup', 'address', 'amount'), ...numbers('number', 'ordinal')],
    key: 'rollup, number, ordinal',
    indexes: ['rollup, address, number, ordinal'],
  },
  {
    // Events of contracts; `event` is the name in a withdrawal on the sequencer.
    name: 'evm_withdrawals',
    columns: [
      ...texts('rollup', 'contract', 'sender', 'kind', 'amount', 'destination', 'event'),
      ...numbers('number', 'log', 'position'),
    ],
    key: 'rollup, number, log',
    indexes: ['rollup, sender, number, log', 'event'],
  },
  {
    name: 'evm_addresses',
    columns: [
      ...texts('rollup', 'address'),
      ...numbers('first_number', 'last_number', 'transactions', 'internal_calls', 'transfers', 'deposits'),
      // For a contract that was created since block 1.
      ...['creator TEXT', 'creation TEXT'],
    ],
    key: 'rollup, address',
  },
  {
    name: 'evm_address_transactions',
    columns: [...texts('rollup', 'address'), ...numbers('number', 'position')],
    key: 'rollup, address, number, position',
  },
  {
    name: 'evm_address_internal',
    columns: [...texts('rollup', 'address'), ...numbers('number', 'position', 'ordinal')],
    key: 'rollup, address, number, position, ordinal',
  },
  {
    name: 'evm_transfers',
    columns: [
      ...texts('rollup', 'token', 'kind', 'sender', 'recipient', 'amount'),
      ...[...numbers('number', 'log', 'item', 'position'), 'token_id TEXT'],
    ],
    key: 'rollup, number, log, item',
    indexes: ['rollup, token, number, log, item'],
  },
  {
    name: 'evm_address_transfers',
    columns: [...texts('rollup', 'address'), ...numbers('number', 'log', 'item')],
    key: 'rollup, address, number, log, item',
  },
  {
    name: 'evm_tokens',
    columns: [
      ...texts('rollup', 'address', 'kind'),
      // Answers of its contract; `described` is 0 until it was queried.
      ...['name TEXT', 'symbol TEXT', 'decimals BIGINT', 'supply TEXT'],
      // `exact` is 0 if its logs do not add up to the answer of `balanceOf`.
      ...numbers('number', 'transfers', 'holders', 'described', 'exact'),
      // 1 while its contract is to be queried, and the block of the last query.
      ...numbers('due', 'asked'),
    ],
    key: 'rollup, address',
    indexes: ['rollup, transfers, address', 'rollup, due, asked'],
  },
  {
    name: 'evm_holders',
    columns: [...texts('rollup', 'token', 'holder', 'balance'), ...numbers('number')],
    key: 'rollup, token, holder',
    indexes: ['rollup, token, balance, holder', 'rollup, holder, token'],
  },
  {
    name: 'evm_items',
    columns: texts('rollup', 'token', 'token_id', 'holder', 'amount'),
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
