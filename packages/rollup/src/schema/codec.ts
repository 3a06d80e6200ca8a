import { Reader, Writer } from '@switchyard/protocol';
import type { Fields, RecordOf, RecordType } from './shapes.ts';
import { invalid, rejection } from './type.ts';

/** One for all, since no value is encoded while another one is. */
const writer = new Writer(1_024);

/** The one encoding of a record. @throws {InvalidData} with the path of a value that its type does not have. */
export function encode<F extends Fields>(type: RecordType<F>, value: RecordOf<F>): Uint8Array {
  try {
    type.writeFields(writer, value);
    return writer.take();
  } catch (error) {
    writer.take();
    throw invalid(error);
  }
}

/**
 * The record of its one encoding: byte strings in it are views of `bytes`.
 *
 * @throws {Rejected} `malformed` for any other bytes, with the path of the field that differs.
 */
export function decode<F extends Fields>(type: RecordType<F>, bytes: Uint8Array): RecordOf<F> {
  try {
    return type.readFields(Reader.strict(bytes, 'record'));
  } catch (error) {
    throw rejection(error);
  }
}
