import { NodeFault } from '@switchyard/machine/browser';
import { typeByBlock } from '#rows';
import { decode, encode } from '../schema/codec.ts';
import type { Fields, RecordType } from '../schema/shapes.ts';
import type { Type } from '../schema/type.ts';
import { recordOf } from './type-by-block.ts';

/**
 * A record unchanged, and any other value as the one field of a message: rows may gain fields that have a default.
 *
 * Rows are written by the types of the block that writes them, and read by the newest ones.
 */
export function rowCodec<V>(value: Type<V>): { encode(row: V): Uint8Array; decode(stored: Uint8Array): V } {
  if (value.problem !== undefined) throw new Error(value.problem);
  if (value.presence === 'optional') throw new Error('expected rows that are always there, got an option');
  const isRecord = 'readFields' in value;
  const newest = recordOf(value);
  const type = typeByBlock(newest);
  return {
    encode: (row) => encode(type(), (isRecord ? row : { value: row }) as never),
    decode(stored) {
      const found = readStored(newest, stored);
      return (isRecord ? found : found.value) as V;
    },
  };
}

/** A row that does not decode was damaged: this is no refusal, which would be the outcome of a transaction. */
function readStored(type: RecordType<Fields>, stored: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    return decode(type, stored);
  } catch (cause) {
    throw new NodeFault('a stored row is not the encoding of a row', { cause });
  }
}
