import { blockInWork } from '../app/block-in-work.ts';
import { type Fields, type RecordType, record } from '../schema/shapes.ts';
import type { Type } from '../schema/type.ts';

/** A record unchanged, and any other value as the one field of a message. */
export function recordOf(value: Type<unknown>): RecordType<Fields> {
  // A record is made by `record` alone.
  return 'readFields' in value ? (value as RecordType<Fields>) : record({ value });
}

/** Whether a part is there in the block that is being executed; outside of one it is. */
export function hasBegun(from: bigint | undefined): boolean {
  const block = blockInWork();
  return block === undefined || from === undefined || block >= from;
}

/** @throws {Error} if a part is used in a block before it begins. */
export function mustHaveBegun(part: string, from: bigint | undefined): void {
  if (!hasBegun(from)) throw new Error(`${part} begins at block ${from}, and this is block ${blockInWork()}`);
}
