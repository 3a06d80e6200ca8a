import { type Input, InvalidData, integer, text as toText } from '@switchyard/service/input';
import { map } from './map.ts';
import { oneOf } from './one-of.ts';
import { address, asset, bool, bytes, text, u32, u64, u128 } from './scalars.ts';
import { type Fields, list, option, record, union } from './shapes.ts';
import { i32, i64, i128 } from './signed.ts';
import { since } from './since.ts';
import { textAddress, textAsset } from './text-forms.ts';
import { described, numbered, type Type } from './type.ts';

const SINGLE: Readonly<Record<string, Type<unknown>>> = {
  ...{ u32, u64, u128, i32, i64, i128, bool, address, asset, textAddress, textAsset },
};

/** More than a definition needs; a description may come from a stranger. */
const MOST_FIELDS = 256;

/** The type of a description. @throws {InvalidData} naming the part that describes none. */
export function typeFrom(input: Input): Type<unknown> {
  const kind = input.at('type').text();
  try {
    const from = input.at('from').optional((block) => block.big());
    const type = from === undefined ? typeOf(kind, input) : laterType(from, kind, input);
    if (type.problem !== undefined) return input.refuse(type.problem);
    return type;
  } catch (error) {
    throw error instanceof InvalidData || !(error instanceof Error) ? error : refused(input, error);
  }
}

function laterType(from: bigint, kind: string, input: Input): Type<unknown> {
  return since(from, typeOf(kind, input), input.at('before').optional(typeFrom));
}

function typeOf(kind: string, input: Input): Type<unknown> {
  if (Object.hasOwn(SINGLE, kind)) return SINGLE[kind] as Type<unknown>;
  switch (kind) {
    case 'text':
      return text({ maxBytes: positive(input.at('maxBytes')) });
    case 'bytes':
      return input.at('length').isPresent
        ? bytes({ length: positive(input.at('length')) })
        : bytes({ maxBytes: positive(input.at('maxBytes')) });
    case 'list':
      return list(typeFrom(input.at('item')), { maxItems: positive(input.at('maxItems')) });
    case 'map':
      return map(typeFrom(input.at('key')), typeFrom(input.at('value')), { maxItems: positive(input.at('maxItems')) });
    case 'oneOf': {
      const [first = '', ...others] = input.at('words').list(MOST_FIELDS).map(toText);
      return oneOf(first, ...others);
    }
    case 'option':
      return option(typeFrom(input.at('value')));
    case 'record':
      return record(fieldsFrom(input.at('fields')));
    case 'union':
      return union(casesFrom(input.at('cases')));
    default:
      return input
        .at('type')
        .fail(`one of ${Object.keys(SINGLE).join(', ')}, text, bytes, oneOf, list, map, option, record, union`);
  }
}

/** Fields under their names, with the numbers that they have. @throws {InvalidData} */
export function fieldsFrom(input: Input): Fields {
  return named(input, (field) => {
    const type = numbered(positive(field.at('number')), typeFrom(field));
    const help = field.at('help').optional(toText);
    return help === undefined ? type : described(type, help);
  });
}

/** Cases are numbered in their order. @throws {InvalidData} */
export function casesFrom(input: Input): Readonly<Record<string, Fields>> {
  let last = 0;
  return named(input, (each) => {
    last += 1;
    if (positive(each.at('number')) !== last) each.at('number').fail(String(last));
    return fieldsFrom(each.at('fields'));
  });
}

/** Results under the names of their items, without duplicates. */
export function named<T>(input: Input, read: (item: Input) => T): Readonly<Record<string, T>> {
  const entries = input.list(MOST_FIELDS).map((item) => [toText(item.at('name')), read(item)] as const);
  const names = entries.map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) input.fail('each name once', `"${twice}" twice`);
  return Object.fromEntries(entries);
}

const positive = integer({ min: 1 });

function refused(input: Input, cause: Error): InvalidData {
  return new InvalidData([{ path: input.path, message: cause.message }], { cause });
}
