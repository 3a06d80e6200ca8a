import type { RollupId } from '@switchyard/protocol';
import { type IndexedBlock, rollupBlockRows } from '../../rollups/rollup-rows.ts';
import { evmKey } from '../../store/evm-tables.ts';
import { insertRecords } from '../../store/statements.ts';
import type { Statement } from '../../store/store.ts';
import type { EvmBlock } from '../evm-block.ts';

/** Hex digits of an input that are kept; the node has the rest. */
export const MAX_INPUT = 8_192;

/** Blocks and transactions, unchanged. */
export function blockRows(rollup: RollupId, blocks: readonly EvmBlock[], seen: number): Statement[] {
  const key = evmKey(rollup);
  const rows = blocks.map(({ transactions, deposits, refused: _, ...block }) => {
    return { rollup: key, ...block, transactions: transactions.length, deposits: deposits.length };
  });
  return [
    ...insertRecords('evm_blocks', rows),
    ...insertRecords(
      'evm_transactions',
      blocks.flatMap((block) => transactionRecords(key, block)),
    ),
    ...rollupBlockRows(rollup, blocks.map(toRollupBlock), seen),
  ];
}

function transactionRecords(key: string, { number, transactions }: EvmBlock) {
  let gas = 0;
  return transactions.map(({ from, to, input, logs, internal, transfers: _, ...each }, position) => {
    gas += each.gasUsed;
    return {
      ...{ rollup: key, number, position, ...each, sender: from, recipient: to },
      ...{ input: input.slice(0, MAX_INPUT), inputSize: input.length / 2 },
      ...{ logs: logs.length, internalCalls: internal?.length, cumulativeGas: gas },
    };
  });
}

/** The facts that are kept of every rollup: so the routes and traces of the sequencer's side show EVM rollups too. */
function toRollupBlock({ transactions, deposits, refused, ...block }: EvmBlock): IndexedBlock {
  const { number, hash, parentHash, time, sequencerHash } = block;
  const skippedDeposits = refused.filter(({ kind }) => kind === 'deposit').length;
  return {
    ...{ number, hash, parentHash, time, sequencerBlockHash: sequencerHash, executed: transactions.length },
    ...{ refused: refused.length - skippedDeposits, deposits: deposits.length, skippedDeposits },
    refusals: refused.map(({ entry, hash, reason }) => ({ index: entry, hash, code: 0, reason })),
  };
}
