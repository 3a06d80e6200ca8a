import type { StateReader } from '@switchyard/machine';
import { Input } from '@switchyard/service/input';
import { blockInWork } from '../app/block-in-work.ts';
import type { Fields, RecordType } from '../schema/shapes.ts';
import { typeFrom } from '../schema/type-from.ts';
import { blocksIn, partsAt } from './eras.ts';
import { CountedState } from './steps.ts';
import { recordOf } from './type-by-block.ts';

export { storedIndexes } from './indexes.ts';
export { getPages } from './row-pages.ts';

/** Whether it is the state of a handler. */
export const isCounted = (state: StateReader): boolean => state instanceof CountedState;

/** The type in force in the block that is being executed, by which its values are written; outside of one the newest. */
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
