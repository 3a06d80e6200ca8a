import { type DescField, type DescMessage, fromBinary, type MessageShape, ScalarType } from '@bufbuild/protobuf';
import { Rejected } from '../errors.ts';
import { BYTES, FIXED32, FIXED64, Reader, VARINT } from './reader.ts';

/**
 * Decodes with generated code, after a look at the structure: the generated decoder forgives wrong wire types and
 * messages that run over their end, and a rule that forgives is a rule that two nodes can read differently.
 *
 * @throws {Rejected} `malformed`
 */
export function decodeMessage<Desc extends DescMessage>(schema: Desc, bytes: Uint8Array): MessageShape<Desc> {
  inspect(schema, new Reader(bytes, schema.name));
  try {
    // Unknown fields are dropped: nothing is ever encoded again from a decoded message.
    return fromBinary(schema, bytes, { readUnknownFields: false });
  } catch (cause) {
    throw new Rejected('malformed', { message: schema.name, problem: 'undecodable' }, { cause });
  }
}

function inspect(schema: DescMessage, reader: Reader): void {
  while (reader.next()) {
    const field = findField(schema, reader.field);
    if (field === undefined) reader.skip();
    else inspectField(field, reader);
  }
}

function inspectField(field: DescField, reader: Reader): void {
  if (field.fieldKind === 'message' || (field.fieldKind === 'list' && field.listKind === 'message')) {
    // None of our messages contains itself, so the depth is that of the schema.
    inspect(field.message, reader.message(field.message.name));
    return;
  }
  const scalar = field.fieldKind === 'enum' ? ScalarType.INT32 : (field.scalar ?? ScalarType.INT32);
  const wanted = getWireType(scalar);
  if (field.fieldKind === 'list' && wanted !== BYTES && reader.type === BYTES) {
    const packed = reader.bytes();
    // Every packed list here is of varints.
    if (packed.length > 0 && (packed.at(-1) ?? 0) >= 0x80) throw wrongType(field);
    return;
  }
  if (reader.type !== wanted) throw wrongType(field);
  if (scalar === ScalarType.STRING) reader.string();
  else reader.skip();
}

function getWireType(scalar: ScalarType): number {
  switch (scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return BYTES;
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return FIXED64;
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return FIXED32;
    default:
      return VARINT;
  }
}

const fieldsOf = new WeakMap<DescMessage, ReadonlyMap<number, DescField>>();

function findField(schema: DescMessage, number: number): DescField | undefined {
  let fields = fieldsOf.get(schema);
  if (fields === undefined) {
    fields = new Map(schema.fields.map((field) => [field.number, field]));
    fieldsOf.set(schema, fields);
  }
  return fields.get(number);
}

function wrongType(field: DescField): Rejected {
  return new Rejected('malformed', { message: field.parent.name, problem: 'wire type', field: field.number });
}
