import { type TxHash, txHashOf } from '@switchyard/protocol';
import type { TxExecution, TxResult } from './comet.ts';

/** Part of a node that a search through its blocks needs. */
export interface BlockReader {
  block(height: bigint, signal?: AbortSignal): Promise<{ readonly txs: readonly Uint8Array[] }>;
  blockResults(height: bigint, signal?: AbortSignal): Promise<readonly TxExecution[]>;
}

/**
 * Looks for a transaction in the blocks themselves, from `from` to `to`, both included. Unlike the node's index, the blocks
 * have no gaps: a node that is killed between a block and its index entry never finds that block's transactions by hash. A
 * copy that failed in its block leaves the nonce free, so the executed one is looked for behind it.
 *
 * @returns undefined if none of these blocks holds it.
 */
export async function findInBlocks(
  client: BlockReader,
  hash: TxHash,
  { from, to }: { readonly from: bigint; readonly to: bigint },
  signal?: AbortSignal,
): Promise<TxResult | undefined> {
  let failed: TxResult | undefined;
  for (let height = from; height <= to; height += 1n) {
    const { txs } = await client.block(height, signal);
    const index = txs.findIndex((bytes) => txHashOf(bytes) === hash);
    if (index === -1) continue;
    const execution = (await client.blockResults(height, signal))[index];
    if (execution === undefined)
      throw new Error(`the node has no result for transaction ${hash} of its block ${height}`);
    const result = { hash, height, index, ...execution };
    if (execution.code === 0) return result;
    failed ??= result;
  }
  return failed;
}
