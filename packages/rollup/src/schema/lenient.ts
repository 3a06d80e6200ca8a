import { parseAnyAddress, parseDenom, Reader, Rejected } from '@switchyard/protocol';
import type { Field, Fields, ListType, RecordOf, RecordType, UnionType } from './shapes.ts';
import { readAddressText } from './text-forms.ts';
import type { Type } from './type.ts';

/**
 * A field as every decoder of protobuf reads it: in any order, unknown ones passed over, the pieces of a message merged, the
 * last of several values. For chains that never required one encoding of their bodies.
 */
interface Lenient {
  /** @param before Result for the piece before this one; undefined at the first. */
  read(reader: Reader, before: unknown): unknown;
  /** The value of all pieces; `found` is undefined if there is none. @throws {Rejected} */
  value(found: unknown): unknown;
}

/** @returns a decoder, which throws `Rejected` for bytes that are no such record. */
export function lenientDecoder<F extends Fields>(type: RecordType<F>): (bytes: Uint8Array) => RecordOf<F> {
  const { merge, values } = lenientFields(type.fields);
  // The fields of F have just been read, each by its own type.
  return (bytes) => values({}, merge(new Reader(bytes, 'record'), undefined)) as RecordOf<F>;
}

function toLenient(name: string, type: Type<unknown>): Lenient {
  switch (type.description.type) {
    case 'record':
      // Only `record`, `union` and `list` make types of these descriptions.
      return lenientRecord(name, type as unknown as RecordType<Fields>);
    case 'union':
      return lenientUnion(name, type as unknown as UnionType<Readonly<Record<string, Fields>>>);
    case 'list':
      return lenientList(name, type as unknown as ListType<unknown>);
    case 'map':
      throw new Error(`field ${name}: a map has one encoding alone`);
    case 'u128':
      return { read: (reader, before) => readHalves(reader.message('Uint128'), before), value: (found) => found ?? 0n };
    case 'text':
      return { read: readText, value: (found) => bounded(name, toText(found), type.maxBytes) };
    case 'textAsset':
      return { read: readText, value: (found) => parseDenom(toText(found)) };
    case 'textAddress':
      return {
        read: (reader, before) => readAddressText(reader.message('Address'), toText(before)),
        value: (found) => (found === undefined ? absent(name) : parseAnyAddress(toText(found))),
      };
    default:
      return {
        read: (reader) => type.read(reader),
        value: (found) => found ?? (type.presence === 'required' ? absent(name) : type.absent()),
      };
  }
}

/** Pieces of a message, at the places of its fields. */
type Pieces = unknown[];

function lenientFields(fields: readonly Field[]) {
  const known = fields.map(({ name, type }) => ({ name, type: toLenient(name, type) }));
  const places: number[] = [];
  for (const [place, { number }] of fields.entries()) places[number] = place;
  return {
    merge(reader: Reader, before: unknown): Pieces {
      // Only results of this function are handed to it.
      const pieces = (before as Pieces | undefined) ?? [];
      while (reader.next()) {
        const place = places[reader.field];
        const field = place === undefined ? undefined : known[place];
        if (place === undefined || field === undefined) reader.skip();
        else pieces[place] = field.type.read(reader, pieces[place]);
      }
      return pieces;
    },
    values(record: Record<string, unknown>, pieces: Pieces): Record<string, unknown> {
      let place = 0;
      for (const { name, type } of known) {
        record[name] = type.value(pieces[place]);
        place += 1;
      }
      return record;
    },
  };
}

function lenientRecord(name: string, { fields }: RecordType<Fields>): Lenient {
  const { merge, values } = lenientFields(fields);
  return {
    read: (reader, before) => merge(reader.message(name), before),
    value: (found) => (found === undefined ? absent(name) : values({}, found as Pieces)),
  };
}

/** The last case counts, with the pieces of it that follow each other. */
function lenientUnion(name: string, { cases }: UnionType<Readonly<Record<string, Fields>>>): Lenient {
  type Case = { readonly kind: string } & ReturnType<typeof lenientFields>;
  type Found = { readonly of: Case; readonly pieces: Pieces };
  const known: Case[] = [];
  for (const { name: kind, number, type } of cases) known[number] = { kind, ...lenientFields(type.fields) };
  return {
    read(reader, before) {
      let found = before as Found | undefined;
      const message = reader.message(name);
      while (message.next()) {
        const item = known[message.field];
        if (item === undefined) message.skip();
        else
          found = {
            of: item,
            pieces: item.merge(message.message(item.kind), found?.of === item ? found.pieces : undefined),
          };
      }
      return found;
    },
    value(given) {
      if (given === undefined) return absent(name);
      const { of: item, pieces } = given as Found;
      return item.values({ kind: item.kind }, pieces);
    },
  };
}

function lenientList(name: string, { item, maxItems }: ListType<unknown>): Lenient {
  const each = toLenient(name, item);
  return {
    read(reader, before) {
      const items = (before as unknown[] | undefined) ?? [];
      if (items.length === maxItems) throw new Rejected('too-large', { field: name, limit: maxItems });
      items.push(each.value(each.read(reader, undefined)));
      return items;
    },
    value: (found) => found ?? [],
  };
}

const readText = (reader: Reader): string => reader.string();
/** For the result of `readText`, or nothing. */
const toText = (found: unknown): string => (typeof found === 'string' ? found : '');

const LOW_64 = (1n << 64n) - 1n;

function readHalves(message: Reader, before: unknown): bigint {
  let low = typeof before === 'bigint' ? before & LOW_64 : 0n;
  let high = typeof before === 'bigint' ? before >> 64n : 0n;
  while (message.next()) {
    if (message.field === 1) low = message.uint64();
    else if (message.field === 2) high = message.uint64();
    else message.skip();
  }
  return (high << 64n) | low;
}

const utf8 = new TextEncoder();

function bounded(field: string, text: string, maxBytes: number): string {
  // No character takes more than three bytes of UTF-8 for each unit of its length.
  if (text.length * 3 <= maxBytes) return text;
  const got = utf8.encode(text).length;
  if (got > maxBytes) throw new Rejected('too-large', { field, limit: `${maxBytes} bytes`, got: `${got} bytes` });
  return text;
}

function absent(part: string): never {
  throw new Rejected('malformed', { part, expected: 'present' });
}
