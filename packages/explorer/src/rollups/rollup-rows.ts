import type { RollupId } from '@switchyard/protocol';
import { insertRecords } from '../store/statements.ts';
import type { Statement } from '../store/store.ts';
import type { RollupBlock, SkippedDeposit } from './rollup-node.ts';

const MAX_REASON = 500;

/** A block of a rollup of any kind. */
export type IndexedBlock = Omit<RollupBlock, 'refusals'> & { readonly refusals: readonly Refusal[] };
type Refusal = Omit<RollupBlock['refusals'][number], 'hash'> & { readonly hash: string };

/** @param seen When the explorer first had the blocks, in milliseconds since the Unix epoch; 0 for blocks that were old by then. */
export function rollupBlockRows(rollup: RollupId, blocks: readonly IndexedBlock[], seen: number): Statement[] {
  const rows = blocks.map(({ parentHash: _, refusals: __, sequencerBlockHash: sequencerHash, ...block }) => {
    return { rollup, ...block, sequencerHash, seen };
  });
  const refusals = blocks.flatMap(({ number, refusals: list }) =>
    list.map(({ index: position, hash, code, reason }) => {
      return { rollup, number, position, hash, code, reason: reason.slice(0, MAX_REASON) };
    }),
  );
  return [...insertRecords('rollup_blocks', rows), ...insertRecords('refusals', refusals)];
}

export function skippedDepositRows(rollup: RollupId, deposits: readonly SkippedDeposit[]): Statement[] {
  const rows = deposits.map(({ block: number, transaction: transactionHash, reason, ...each }) => {
    return { ...each, rollup, number, transactionHash, reason: reason.slice(0, MAX_REASON) };
  });
  return insertRecords('skipped_deposits', rows, 'ON CONFLICT (rollup, id) DO NOTHING');
}
