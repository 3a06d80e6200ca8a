import type { RollupId } from '@switchyard/protocol';
import { clearRollup } from '../store/schema.ts';
import type { IndexStore, Statement } from '../store/store.ts';
import { type RollupNode, SKIPPED_PAGE } from './rollup-node.ts';
import type { RollupReader } from './rollup-reader.ts';
import { rollupBlockRows, skippedDepositRows } from './rollup-rows.ts';

/** Reads the framework's facts about every rollup: blocks, their refusals, and skipped deposits. */
export function frameworkReader(node: RollupNode, store: Pick<IndexStore, 'read'>): RollupReader {
  const skipped = async (id: RollupId, signal: AbortSignal): Promise<Statement[]> => {
    const [row] = await store.read('SELECT MAX(id) AS last FROM skipped_deposits WHERE rollup = ?', [id]);
    const rows: Statement[] = [];
    for (let after = typeof row?.last === 'number' ? row.last : undefined; ; ) {
      const page = await node.skippedDeposits(after, signal);
      rows.push(...skippedDepositRows(id, page));
      after = page.at(-1)?.id;
      if (page.length < SKIPPED_PAGE || after === undefined) return rows;
    }
  };
  return {
    node,
    clear: clearRollup,

    async blocks(from, most, signal) {
      const links = await node.blocks(from, most, signal);
      return {
        links,
        async rows(id, seen, until) {
          const hasSkipped = links.some(({ skippedDeposits }) => skippedDeposits > 0);
          return [...rollupBlockRows(id, links, seen), ...(hasSkipped ? await skipped(id, until) : [])];
        },
      };
    },
  };
}
