import { type Schema, schema } from '@switchyard/service/input';
import { list, record } from './shapes.ts';
import { Mismatch, openJson, type Type, unfit } from './type.ts';

/** Types whose values are equal if they are the same. */
const KEYS = new Set(['u32', 'u64', 'u128', 'i32', 'i64', 'i128', 'bool', 'oneOf', 'text', 'address', 'asset']);

interface Entry<K, V> {
  readonly key: K;
  readonly value: V;
}

/**
 * At most this many values under keys. The bytes are those of a map in protobuf, each key with its value, in rising order of the keys:
 * numbers by value, others by their characters. In JSON a list of objects with `key` and `value`. See the example of {@link record}.
 */
export function map<K, V>(
  key: Type<K>,
  value: Type<V>,
  { maxItems }: { readonly maxItems: number },
): Type<ReadonlyMap<K, V>> {
  const entry = record({ key, value }) as unknown as Type<Entry<K, V>>;
  const entries = list(entry, { maxItems });
  const description = { type: 'map', key: key.description, value: value.description, maxItems };
  const problem = KEYS.has(key.description.type)
    ? entries.problem
    : `expected a key of ${[...KEYS].join(', ')}, got ${key.description.type}`;
  const inOrder = (given: ReadonlyMap<K, V>): readonly Entry<K, V>[] =>
    [...given].map(([each, item]) => ({ key: each, value: item })).sort((left, right) => order(left.key, right.key));
  const fromJson = (read: Schema<readonly Entry<K, V>[]>): Schema<ReadonlyMap<K, V>> =>
    schema(
      (input) => {
        const found = read(input);
        const made = mapOf(found);
        return made.size === found.length ? made : input.fail('each key once');
      },
      { expects: 'a list of objects with key and value', json: read.json },
    );
  return {
    ...(entries as unknown as Type<ReadonlyMap<K, V>>),
    ...{ description, problem },
    absent: () => new Map(),
    isAbsent: (given) => given.size === 0,
    write(writer, number, given) {
      if (!(given instanceof Map)) throw unfit(`a Map of at most ${maxItems}`, given);
      entries.write(writer, number, inOrder(given));
    },
    collect(items) {
      // Each was read by the type of the entries.
      const found = items as readonly Entry<K, V>[];
      const at = found.findIndex(
        (each, place) => place > 0 && order((found[place - 1] as Entry<K, V>).key, each.key) >= 0,
      );
      if (at >= 0) throw new Mismatch('keys in rising order, each once', `another order at item ${at}`);
      return mapOf(found);
    },
    json: fromJson(entries.json),
    openJson: fromJson(openJson(entries)),
    toJson: (given, nameOf) => entries.toJson(inOrder(given), nameOf),
  };
}

function mapOf<K, V>(entries: readonly Entry<K, V>[]): ReadonlyMap<K, V> {
  return new Map(entries.map(({ key, value }) => [key, value]));
}

function order<K>(left: K, right: K): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
