import { accountIdFromBytes, parseAnyAddress, parseDenom, toHex } from '@switchyard/protocol';
import { TypedDataEncoder } from 'ethers';
import fc from 'fast-check';
import { hashTypedData } from 'viem';
import { expect, test } from 'vitest';
import { map } from '../schema/map.ts';
import { oneOf } from '../schema/one-of.ts';
import { address, asset, bool, bytes, text, u32, u64, u128 } from '../schema/scalars.ts';
import { type Fields, list, option, record, union } from '../schema/shapes.ts';
import { i32, i64, i128 } from '../schema/signed.ts';
import { since } from '../schema/since.ts';
import { textAddress, textAsset } from '../schema/text-forms.ts';
import type { Type } from '../schema/type.ts';
import { action, defineRollup } from './definition.ts';
import { hashOfTypedData, type TypedData, toTypedData } from './typed-data.ts';

const ACCOUNT = accountIdFromBytes(new Uint8Array(20).fill(7));

/** A type with values of it. */
type Shape = readonly [Type<unknown>, fc.Arbitrary<unknown>];
const shape = <T>(type: Type<T>, values: fc.Arbitrary<T>): Shape => [type as Type<unknown>, values];
const big = (bits: bigint) => fc.bigInt({ min: 0n, max: (1n << bits) - 1n });
const signed = (bits: bigint) => fc.bigInt({ min: -(1n << (bits - 1n)), max: (1n << (bits - 1n)) - 1n });

const leaf = fc.constantFrom<Shape[]>(
  shape(u32, fc.nat()),
  shape(u64, big(64n)),
  shape(u128, big(128n)),
  shape(i32, fc.integer()),
  shape(i64, signed(64n)),
  shape(i128, signed(128n)),
  shape(bool, fc.boolean()),
  shape(
    text({ maxBytes: 100 }),
    fc.string({ unit: 'grapheme', maxLength: 8 }).filter((value) => value.length < 33),
  ),
  shape(bytes({ maxBytes: 40 }), fc.uint8Array({ maxLength: 40 })),
  shape(oneOf('buy', 'sell'), fc.constantFrom('buy', 'sell')),
  shape(address, fc.uint8Array({ minLength: 20, maxLength: 20 }).map(accountIdFromBytes)),
  shape(asset, fc.constant(parseDenom('nria').id)),
  shape(textAsset, fc.constant(parseDenom('nria'))),
  shape(textAddress, fc.constant(parseAnyAddress('astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm'))),
);

const NAMES = ['amount', 'to', 'kindOf', 'note', 'constructor'];
const fieldsOf = (inner: fc.Arbitrary<Shape>) =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), inner), { selector: ([name]) => name, maxLength: 4 })
    .map((entries) => ({
      fields: Object.fromEntries(entries.map(([name, [type]]) => [name, type])) as Fields,
      values: fc.record(Object.fromEntries(entries.map(([name, [, values]]) => [name, values]))),
    }));

/** Types around those of some depth. */
function around(inner: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> {
  const single = inner.filter(([{ presence }]) => presence === 'required' || presence === 'default');
  return fc.oneof(
    inner,
    fieldsOf(inner).map(({ fields, values }) => shape(record(fields), values)),
    fc.tuple(fieldsOf(inner), fieldsOf(inner)).map(([one, other]) =>
      shape(
        union({ one: one.fields, other: other.fields }) as Type<object>,
        fc.oneof(
          one.values.map((values) => ({ ...values, kind: 'one' })),
          other.values.map((values) => ({ ...values, kind: 'other' })),
        ),
      ),
    ),
    single.map(([type, values]) => shape(option(type), fc.option(values, { nil: undefined }))),
    single.map(([type, values]) => shape(list(type, { maxItems: 3 }), fc.array(values, { maxLength: 3 }))),
    single.map(([type, values]) =>
      shape(
        map(u32, type, { maxItems: 3 }),
        fc.array(fc.tuple(fc.nat(), values), { maxLength: 3 }).map((entries) => new Map(entries)),
      ),
    ),
  );
}

const any = around(around(leaf));

/** A definition of one action, and a transaction with some of it. */
const anyTransaction = fieldsOf(any).chain(({ fields, values }) => {
  const defined = defineRollup({ name: 'shop', actions: { order: action({ fields, execute: () => undefined }) } });
  const parts = {
    nonce: fc.nat(),
    lastBlock: fc.option(big(64n), { nil: undefined }),
    chainId: fc.string({ maxLength: 9 }),
    actions: fc.array(
      values.map((each) => ({ ...each, kind: 'order' })),
      { minLength: 1, maxLength: 3 },
    ),
  };
  return fc.record(parts).map((transaction) => ({ defined, transaction }));
});

const asEthers = ({ domain, types: { EIP712Domain: _, ...types }, message }: TypedData) =>
  TypedDataEncoder.hash(domain, types as Record<string, { name: string; type: string }[]>, message);

test('typed data of any schema and values has the hash that ethers and viem find', () => {
  fc.assert(
    fc.property(anyTransaction, ({ defined, transaction }) => {
      const body = defined.body.encode(transaction as never);
      const signed = { typeUrl: defined.typeUrl, body };
      const data = toTypedData(defined, signed, defined.body.decode(body));
      // A client has the values before encoding, a node the decoded ones.
      expect(toTypedData(defined, signed, transaction as never)).toEqual(data);
      const hash = `0x${toHex(hashOfTypedData(data))}`;
      expect(asEthers(data)).toBe(hash);
      expect(hashTypedData(data as Parameters<typeof hashTypedData>[0])).toBe(hash);
      // A wallet gets it as text.
      expect(JSON.parse(JSON.stringify(data))).toEqual(data);
    }),
    { numRuns: 300 },
  );
});

test('a wallet shows fields under their names, without absent options and empty lists', () => {
  const line = record({ item: text({ maxBytes: 20 }), count: u32 });
  const shop = defineRollup({
    name: 'shop',
    actions: {
      order: action({
        fields: {
          to: address,
          lines: list(line, { maxItems: 4 }),
          note: option(text({ maxBytes: 20 })),
          pay: union({ later: {}, now: { amount: u128 } }),
          tip: since(9n, u64),
        },
        execute: () => undefined,
      }),
      cancel: action({ fields: { number: u64 }, execute: () => undefined }),
    },
  });
  const order = { kind: 'order' as const, to: ACCOUNT, lines: [{ item: 'tea', count: 2 }], tip: 0n };
  const actions = [
    { ...order, note: undefined, pay: { kind: 'now' as const, amount: 5n } },
    { kind: 'cancel' as const, number: 0n },
  ];
  const { types, message, domain } = toTypedData(
    shop,
    { typeUrl: shop.typeUrl, body: Uint8Array.of(1) },
    { chainId: 'shop-1', nonce: 3, lastBlock: 12n, actions },
  );
  expect({ types, message, domain }).toMatchInlineSnapshot(`
    {
      "domain": {
        "name": "shop",
        "salt": "0x34ad46570784fabe6621892c0c624ea450823efa5a9fed0bc28456a8a486f245",
        "version": "1",
      },
      "message": {
        "actions": {
          "item1": {
            "kind": "order",
            "lines": [
              {
                "count": "2",
                "item": "tea",
              },
            ],
            "pay": {
              "amount": "5",
              "kind": "now",
            },
            "to": "astria1qurswpc8qurswpc8qurswpc8qurswpc80leuy5",
          },
          "item2": {
            "kind": "cancel",
            "number": "0",
          },
        },
        "chain": "shop-1",
        "digest": "0xf0cf8687085c98553f4dcfa1671c77dc269aa22ccb5998c5d03095602cb514d1",
        "lastBlock": "12",
        "nonce": "3",
      },
      "types": {
        "Actions": [
          {
            "name": "item1",
            "type": "Order",
          },
          {
            "name": "item2",
            "type": "Cancel",
          },
        ],
        "Cancel": [
          {
            "name": "kind",
            "type": "string",
          },
          {
            "name": "number",
            "type": "uint256",
          },
        ],
        "EIP712Domain": [
          {
            "name": "name",
            "type": "string",
          },
          {
            "name": "version",
            "type": "string",
          },
          {
            "name": "salt",
            "type": "bytes32",
          },
        ],
        "Lines": [
          {
            "name": "item",
            "type": "string",
          },
          {
            "name": "count",
            "type": "uint256",
          },
        ],
        "Now": [
          {
            "name": "kind",
            "type": "string",
          },
          {
            "name": "amount",
            "type": "uint256",
          },
        ],
        "Order": [
          {
            "name": "kind",
            "type": "string",
          },
          {
            "name": "to",
            "type": "string",
          },
          {
            "name": "lines",
            "type": "Lines[]",
          },
          {
            "name": "pay",
            "type": "Now",
          },
        ],
        "Transaction": [
          {
            "name": "chain",
            "type": "string",
          },
          {
            "name": "nonce",
            "type": "uint256",
          },
          {
            "name": "lastBlock",
            "type": "uint256",
          },
          {
            "name": "actions",
            "type": "Actions",
          },
          {
            "name": "digest",
            "type": "bytes32",
          },
        ],
      },
    }
  `);
});
