import { Input } from '@switchyard/service/input';
import { blockInWork } from '../app/block-in-work.ts';
import type { Fields, RecordType } from '../schema/shapes.ts';
import { typeFrom } from '../schema/type-from.ts';
import { compareDefinitions, differenceLine } from './differences.ts';
import { blocksIn, type Members, partsAt } from './eras.ts';
import { recordOf } from './type-by-block.ts';

/** The type as it is in the block that is being executed, by which its values are written; outside of one the newest. */
export function typeByBlock(newest: RecordType<Fields>): () => RecordType<Fields> {
  const blocks = blocksIn(newest.description);
  if (blocks.length === 0) return () => newest;
  const eras = [0n, ...blocks].map((from) => {
    const description = partsAt(newest.description, from);
    if (description === undefined)
      throw new Error('rows begin at a block: expected from of the table, or a type before');
    return { from, type: recordOf(typeFrom(new Input(description, 'value'))) };
  });
  return () => {
    const block = blockInWork();
    return block === undefined ? newest : (eras.findLast(({ from }) => from <= block)?.type ?? newest);
  };
}

/** @throws {Error} for a part that takes less than before from a block on, other than rows that a migration changes. */
export function mustBeUpgrades(document: { readonly migrations: readonly Members[] }): void {
  for (const block of blocksIn(document)) {
    const [before, after] = [partsAt(document, block - 1n), partsAt(document, block)];
    if (after === undefined) continue;
    for (const difference of compareDefinitions(before, after, block - 1n).differences) {
      if (difference.kind !== 'refused') continue;
      const isOfRows = difference.place.startsWith('table ');
      if (isOfRows && document.migrations.some(({ from }) => from === String(block))) continue;
      const line = `${differenceLine(difference)} from block ${block} on`;
      throw new Error(`${line}: expected ${isOfRows ? 'a migration at that block' : 'more values than before'}`);
    }
  }
}
