import { setImmediate } from 'node:timers/promises';
import type { RollupReader } from '../rollups/rollup-reader.ts';
import { clearEvm, evmKey } from '../store/evm-tables.ts';
import { clearRollup } from '../store/schema.ts';
import type { IndexStore, Statement } from '../store/store.ts';
import type { EvmNode } from './evm-node.ts';
import { addressRows } from './rows/address-rows.ts';
import { blockRows } from './rows/block-rows.ts';
import { logRows } from './rows/log-rows.ts';
import { holdingRows } from './tokens/holding-rows.ts';
import { transferRows } from './tokens/transfer-rows.ts';
import { withdrawalRows } from './withdrawals/rows.ts';

/** Reads an EVM rollup from its node, which decides how many blocks fit one answer. */
export function evmReader(node: EvmNode, store: Pick<IndexStore, 'read'>): RollupReader {
  return {
    node,
    clear: (rollup) => [...clearRollup(rollup), ...clearEvm(rollup)],

    async blocks(from, most, signal) {
      const links = await node.blocks(from, most, signal);
      return {
        links,
        async rows(rollup, seen) {
          const key = evmKey(rollup);
          const rows: Statement[] = [];
          for (const made of [
            () => blockRows(rollup, links, seen),
            () => logRows(key, links),
            () => transferRows(key, links),
            () => withdrawalRows(key, links),
            () => addressRows(key, links),
            () => holdingRows(key, links, store),
          ]) {
            for (const row of await made()) rows.push(row);
            // A request for a page waits for one part, not for all.
            await setImmediate();
          }
          return rows;
        },
      };
    },
  };
}
