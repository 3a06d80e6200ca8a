import type { RollupId } from '@switchyard/protocol';
import { clearRollup } from '../store/schema.ts';
import type { IndexStore, Statement } from '../store/store.ts';
import { type RollupNode, SKIPPED_PAGE } from './rollup-node.ts';
import type { RollupReader } from './rollup-reader.ts';
import { rollupBlockRows, skippedDepositRows } from './rollup-rows.ts';

interface FrameworkReaderDeps {
  readonly node: RollupNode;
  readonly store: Pick<IndexStore, 'read'>;
}

/** Reads the framework's facts about every rollup: blocks, their refusals, and skipped deposits. */
export function frameworkReader({ node, store }: FrameworkReaderDeps): RollupReader {
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
    get url() {
      return node.url;
    },
    clear: clearRollup,
    head: (signal) => node.head(signal),
    findHash: (number, signal) => node.findHash(number, signal),
    get: (path, signal) => node.get(path, signal),
    offers: (signal) => node.offers(signal),
    decode: (bytes, signal) => node.decode(bytes, signal),

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
