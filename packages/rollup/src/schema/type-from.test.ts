import { toHex } from '@switchyard/protocol';
import { Input, InvalidData } from '@switchyard/service/input';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decode, encode } from './codec.ts';
import { map } from './map.ts';
import { oneOf } from './one-of.ts';
import { address, asset, bool, bytes, text, u32, u64, u128 } from './scalars.ts';
import { type Fields, list, option, record, union } from './shapes.ts';
import { i32, i64, i128 } from './signed.ts';
import { described, numbered, openJson, type Type } from './type.ts';
import { fieldsFrom, typeFrom } from './type-from.ts';

/** A type together with values of it. */
interface Sample {
  readonly type: Type<unknown>;
  readonly values: fc.Arbitrary<unknown>;
}

const sample = <T>(type: Type<T>, values: fc.Arbitrary<T>): Sample => ({ type: type as Type<unknown>, values });
const hex = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(toHex);
const big = (bits: bigint) => fc.bigInt({ min: 0n, max: (1n << bits) - 1n });

const single: fc.Arbitrary<Sample> = fc.oneof(
  fc.constant(sample(u32, fc.nat(2 ** 31))),
  fc.constant(sample(u64, big(64n))),
  fc.constant(sample(u128, big(128n))),
  fc.constant(sample(bool, fc.boolean())),
  fc.constant(sample(i32, fc.integer())),
  fc.constant(sample(i64, fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }))),
  fc.constant(sample(i128, fc.bigInt({ min: -(1n << 127n), max: (1n << 127n) - 1n }))),
  fc.constant(sample(oneOf('a', 'b', 'c'), fc.constantFrom('a', 'b', 'c'))),
  fc.constant(sample(address, hex(20) as fc.Arbitrary<never>)),
  fc.constant(sample(asset, hex(32) as fc.Arbitrary<never>)),
  fc
    .integer({ min: 1, max: 20 })
    .map((most) => sample(text({ maxBytes: most }), fc.string({ maxLength: Math.floor(most / 3) }))),
  fc
    .integer({ min: 1, max: 9 })
    .map((length) => sample(bytes({ length }), fc.uint8Array({ minLength: length, maxLength: length }))),
  fc.integer({ min: 1, max: 9 }).map((most) => sample(bytes({ maxBytes: most }), fc.uint8Array({ maxLength: most }))),
);

const NAMES = ['a', 'b', 'longName', 'x1'] as const;

const { any } = fc.letrec<{ any: Sample; one: Sample; fields: readonly (readonly [string, Sample])[] }>((tie) => ({
  one: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    single,
    tie('fields').map((fields) => sample(record(getTypes(fields)), getValues(fields))),
    tie('fields').map((fields) =>
      sample<never>(
        union({ none: {}, some: getTypes(fields) }) as never,
        fc.oneof(
          fc.constant({ kind: 'none' }),
          getValues(fields).map((value) => ({ kind: 'some', ...value })),
        ) as fc.Arbitrary<never>,
      ),
    ),
  ),
  any: fc.oneof(
    { depthSize: 'small' },
    tie('one'),
    tie('one').map(({ type, values }) => sample(option(type), fc.option(values, { nil: undefined }))),
    tie('one').map(({ type, values }) =>
      sample(
        map(u32, type, { maxItems: 3 }),
        fc.array(fc.tuple(fc.nat(9), values), { maxLength: 3 }).map((entries) => new Map(entries)),
      ),
    ),
    tie('one').map(({ type, values }) => sample(list(type, { maxItems: 3 }), fc.array(values, { maxLength: 3 }))),
  ),
  fields: fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), tie('any')), { maxLength: 3, selector: ([name]) => name }),
}));

function getTypes(fields: readonly (readonly [string, Sample])[]): Fields {
  return Object.fromEntries(fields.map(([name, { type }]) => [name, type]));
}

function getValues(fields: readonly (readonly [string, Sample])[]): fc.Arbitrary<object> {
  return fc.record(Object.fromEntries(fields.map(([name, { values }]) => [name, values])));
}

test('a type that is made from a description has its description, bytes and JSON', () => {
  fc.assert(
    fc.property(
      any.chain((found) => fc.tuple(fc.constant(found.type), found.values)),
      ([type, value]) => {
        const description: unknown = JSON.parse(JSON.stringify(type.description));
        const again = typeFrom(new Input(description, ''));
        expect(again.description).toEqual(type.description);
        const [left, right] = [record({ value: type }), record({ value: again })];
        const encoded = encode(left, { value } as never);
        expect(encode(right, { value } as never)).toEqual(encoded);
        expect(decode(right, encoded)).toEqual({ value });
        const json: unknown = JSON.parse(JSON.stringify(right.toJson({ value } as never)));
        expect(left.json(new Input(json, ''))).toEqual({ value });
      },
    ),
    { numRuns: 500 },
  );
});

test('numbers of fields and help come with a description', () => {
  const type = record({ a: numbered(5, described(u32, 'How many')), b: bool });
  const again = record(fieldsFrom(new Input(JSON.parse(JSON.stringify(type.description.fields)), 'fields')));
  expect(again.description).toEqual(type.description);
  expect(toHex(encode(again, { a: 1, b: true }))).toBe('28013001');
});

test('any JSON is a description or InvalidData', () => {
  const part = fc.constantFrom(
    'type',
    'maxBytes',
    'length',
    'item',
    'maxItems',
    'value',
    'fields',
    'cases',
    'name',
    'number',
  );
  const json = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'medium' },
      fc.constantFrom(
        'u32',
        'text',
        'list',
        'option',
        'record',
        'union',
        'map',
        'oneOf',
        'bytes',
        '__proto__',
        1,
        2,
        0,
        -1,
        null,
        true,
      ),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(part, tie('node'), { maxKeys: 5 }),
    ),
  })).node;
  fc.assert(
    fc.property(json, (given) => {
      try {
        expect(typeFrom(new Input(given, '')).problem).toBeUndefined();
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidData);
      }
    }),
    { numRuns: 5_000 },
  );
});

test('an answer of a newer node may have more members, and a request may not', () => {
  const type = record({ a: u32, rows: list(union({ x: { y: u32 } }), { maxItems: 2 }) });
  const newer = new Input({ a: 1, b: 2, rows: [{ kind: 'x', y: 3, z: 4 }] }, '');
  expect(openJson(type)(newer)).toEqual({ a: 1, rows: [{ kind: 'x', y: 3 }] });
  expect(() => type.json(newer)).toThrow('b: expected a known key');
});
