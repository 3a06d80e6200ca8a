import type { RollupId } from '@switchyard/protocol';
import { evmKey } from '../../store/evm-tables.ts';
import { insert } from '../../store/statements.ts';
import type { Statement, Value } from '../../store/store.ts';
import type { EvmBlock, EvmTransaction } from '../evm-block.ts';

/** Hex digits of an input that are kept; the node has the rest. */
export const MAX_INPUT = 8_192;
const MAX_REASON = 500;

const decimal = (value: bigint | undefined): string | null => (value === undefined ? null : String(value));

/** Blocks and transactions, unchanged. */
export function blockRows(rollup: RollupId, blocks: readonly EvmBlock[], seen: number): Statement[] {
  const key = evmKey(rollup);
  return [
    ...insert(
      'evm_blocks',
      BLOCK_COLUMNS,
      blocks.map((block) => blockRow(key, block)),
    ),
    ...insert(
      'evm_transactions',
      TRANSACTION_COLUMNS,
      blocks.flatMap(({ number, transactions }) => {
        let gas = 0;
        return transactions.map((each, position) => {
          gas += each.gasUsed;
          return [...transactionRow(key, number, position, each), gas];
        });
      }),
    ),
    ...sequencerRows(rollup, blocks, seen),
  ];
}

const BLOCK_COLUMNS = [
  ...['rollup', 'number', 'hash', 'parent_hash', 'time', 'transactions', 'gas_used', 'gas_limit', 'base_fee', 'size'],
  ...['deposits', 'sequencer_hash'],
];

function blockRow(key: string, block: EvmBlock): Value[] {
  return [
    ...[key, block.number, block.hash, block.parentHash, block.time, block.transactions.length, block.gasUsed],
    ...[block.gasLimit, String(block.baseFee), block.size, block.deposits.length, block.sequencerHash],
  ];
}

const TRANSACTION_COLUMNS = [
  ...['rollup', 'number', 'position', 'hash', 'submission', 'sender', 'recipient', 'created', 'value', 'gas_price'],
  ...['gas_limit', 'gas_used', 'max_fee', 'max_tip', 'status', 'type', 'nonce', 'input', 'input_size', 'logs'],
  ...['internal_calls', 'cumulative_gas'],
];

function transactionRow(key: string, number: number, position: number, each: EvmTransaction): Value[] {
  return [
    ...[key, number, position, each.hash, each.submission, each.from, each.to ?? null, each.created ?? null],
    ...[String(each.value), String(each.gasPrice), each.gasLimit, each.gasUsed, decimal(each.maxFee)],
    ...[decimal(each.maxTip), each.status, each.type, each.nonce, each.input.slice(0, MAX_INPUT)],
    ...[each.input.length / 2, each.logs.length, each.internal?.length ?? null],
  ];
}

/** Rows that are kept of every rollup: so the routes and traces of the sequencer's side show EVM rollups too. */
function sequencerRows(rollup: RollupId, blocks: readonly EvmBlock[], seen: number): Statement[] {
  const rows = blocks.map((block): Value[] => {
    const deposits = block.refused.filter(({ kind }) => kind === 'deposit').length;
    return [
      ...[rollup, block.number, block.hash, block.time, block.sequencerHash, block.transactions.length],
      ...[block.refused.length - deposits, block.deposits.length, deposits, seen],
    ];
  });
  const refusals = blocks.flatMap(({ number, refused }) =>
    refused.map(({ entry, hash, reason }): Value[] => [rollup, number, entry, hash, 0, reason.slice(0, MAX_REASON)]),
  );
  const columns = [
    ...['rollup', 'number', 'hash', 'time', 'sequencer_hash', 'executed', 'refused', 'deposits', 'skipped_deposits'],
    'seen',
  ];
  return [
    ...insert('rollup_blocks', columns, rows),
    ...insert('refusals', ['rollup', 'number', 'position', 'hash', 'code', 'reason'], refusals),
  ];
}
