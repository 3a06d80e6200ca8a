import { Input } from '@switchyard/service/input';
import { blockInWork } from '../app/block-in-work.ts';
import { type Fields, type RecordType, record } from '../schema/shapes.ts';
import type { Type } from '../schema/type.ts';
import { typeFrom } from '../schema/type-from.ts';
import { blocksIn, partsAt } from './eras.ts';

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

/** A record as it is, and any other value as the one field of a message. */
export function recordOf(value: Type<unknown>): RecordType<Fields> {
  // A record is made by `record` alone.
  return 'readFields' in value ? (value as RecordType<Fields>) : record({ value });
}

/** Whether a part is there in the block that is being executed; outside of one it is. */
export function hasBegun(from: bigint | undefined): boolean {
  const block = blockInWork();
  return block === undefined || from === undefined || block >= from;
}

/** @throws {Error} where a part is used in a block before it begins. */
export function mustHaveBegun(part: string, from: bigint | undefined): void {
  if (!hasBegun(from)) throw new Error(`${part} begins at block ${from}, and this is block ${blockInWork()}`);
}
