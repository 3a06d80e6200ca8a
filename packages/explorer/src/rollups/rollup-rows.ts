import type { RollupId } from '@switchyard/protocol';
import { insert } from '../store/statements.ts';
import type { Statement, Value } from '../store/store.ts';
import type { RollupBlock, SkippedDeposit } from './rollup-node.ts';

const MAX_REASON = 500;

/** @param seen When the explorer first had the blocks, in milliseconds since the Unix epoch; 0 for blocks that were old by then. */
export function rollupBlockRows(rollup: RollupId, blocks: readonly RollupBlock[], seen: number): Statement[] {
  const columns = [
    ...['rollup', 'number', 'hash', 'time', 'sequencer_hash', 'executed', 'refused', 'deposits'],
    ...['skipped_deposits', 'seen'],
  ];
  const rows = blocks.map((block): Value[] => [
    ...[rollup, block.number, block.hash, block.time, block.sequencerBlockHash, block.executed, block.refused],
    ...[block.deposits, block.skippedDeposits, seen],
  ]);
  const refusals = blocks.flatMap(({ number, refusals: list }) =>
    list.map(({ index, hash, code, reason }): Value[] => [
      ...[rollup, number, index, hash, code, reason.slice(0, MAX_REASON)],
    ]),
  );
  return [
    ...insert('rollup_blocks', columns, rows),
    ...insert('refusals', ['rollup', 'number', 'position', 'hash', 'code', 'reason'], refusals),
  ];
}

export function skippedDepositRows(rollup: RollupId, deposits: readonly SkippedDeposit[]): Statement[] {
  return insert(
    'skipped_deposits',
    ['rollup', 'id', 'number', 'transaction_hash', 'action', 'reason'],
    deposits.map(({ id, block, transaction, action, reason }): Value[] => [
      ...[rollup, id, block, transaction, action, reason.slice(0, MAX_REASON)],
    ]),
    'ON CONFLICT (rollup, id) DO NOTHING',
  );
}
