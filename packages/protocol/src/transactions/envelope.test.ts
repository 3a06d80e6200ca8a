import { create, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { accountBytes, fromHex, toHex, txHashOf } from '../accounts/ids.ts';
import { merkleRoot } from '../blocks/merkle.ts';
import { Rejected } from '../errors.ts';
import { TransactionSchema } from '../gen/astria/protocol/transaction/v1/transaction_pb.ts';
import { alice, anyBytes, anyDamaged, bob } from '../testing.ts';
import { decodeEnvelope, isCanonical, mustBeCanonical, signEnvelope, signedBytes } from './envelope.ts';
import { verifyEnvelope } from './verify-envelope.ts';

const TYPE_URL = '/transaction.v1.TransactionBody';

// messenger.md 11: T1 (a text) and T2 (a transfer) of alice.
const published = [
  {
    body: '0a0d120b6173747269612d63686174121312110a02676d1205616c6963651a046e726961',
    signature:
      '11e6a4830143b49d89df6a2eadc16ca989af80b257a2d4ad141e368e55f69ead15b4b61f7a3b2faa32f0c75a7711552e71e7c2ac9c582b18e2c7b9c46837fa03',
    length: 173,
    hash: '1f26bb46e6685a21ab2ab2ebd2ecafa7c911ed9c4a4013962cbe3efccbd019ee',
  },
  {
    body: '0a0f0801120b6173747269612d6368617412430a410a2f122d6173747269613179663536656661686371373836706535743770616b6e61743430673671347473767174716c321202080a1a046e72696122046e726961',
    signature:
      'b1691bfe896b43bd708374099dbd95e06910a35bec49d89bb53539a4d0fda45e1a2b926584a42926dc9bd171d40e89e9370fa26c6f1f9b76e6d9147e655f7207',
    length: 223,
    hash: 'ebccec80e5021981aaa27a355f2225a006dc772db0e0a99e867f726c178bd5d5',
  },
];

test.each(published)(
  'a body signed by alice is the published transaction $hash',
  ({ body, signature, length, hash }) => {
    const bytes = signEnvelope(TYPE_URL, fromHex(body), alice);
    expect(bytes).toHaveLength(length);
    expect(txHashOf(bytes)).toBe(hash);
    const envelope = decodeEnvelope(bytes, TYPE_URL);
    expect(envelope).toEqual({
      bytes,
      hash,
      signature: fromHex(signature),
      publicKey: alice.publicKey,
      typeUrl: TYPE_URL,
      body: fromHex(body),
    });
    verifyEnvelope(envelope);
  },
);

test('a signature covers the kind, a zero byte and the body; for the kinds of the reference the body alone', () => {
  const body = Uint8Array.of(8, 1);
  // "/a.B", zero, body.
  expect(toHex(signedBytes({ typeUrl: '/a.B', body }))).toBe('2f612e42000801');
  expect(signedBytes({ typeUrl: TYPE_URL, body })).toBe(body);
  expect(signedBytes({ typeUrl: '/astria.protocol.transaction.v1.TransactionBody', body })).toBe(body);
});

test('the published transactions have their published trees', () => {
  const [first, second] = published.map(({ body }) => signEnvelope(TYPE_URL, fromHex(body), alice));
  if (first === undefined || second === undefined) throw new Error('two transactions are published');
  expect(toHex(merkleRoot([first]))).toBe('5c269a091c9c6db49953346c2daf6d17e07d7115fe3cc3e088de4ea1c71f1dcb');
  expect(toHex(merkleRoot([first, second]))).toBe('132203ba1ab5036f081673819df3a99d0aa3b7bb43a1c84aa81a087ad4c0758a');
  const deposit = new TextEncoder().encode('aa'.repeat(32));
  expect(toHex(merkleRoot([deposit]))).toBe('88df0645999a1bc9dec19086e862403750a069436d7ecf7775256f78279b3fcb');
});

test('an envelope is encoded as the protobuf library does it, and holds its body', () => {
  fc.assert(
    fc.property(anyBytes({ maxLength: 300 }), (body) => {
      const bytes = signEnvelope(TYPE_URL, body, bob);
      const message = create(TransactionSchema, {
        signature: bob.sign(body),
        publicKey: bob.publicKey,
        body: { typeUrl: TYPE_URL, value: body },
      });
      expect(bytes).toEqual(toBinary(TransactionSchema, message));
      expect(decodeEnvelope(bytes, TYPE_URL).body).toEqual(body);
    }),
    { numRuns: 30 },
  );
});

test('a signature by another key or over another body is refused', () => {
  const [{ body } = { body: '' }] = published;
  const envelope = decodeEnvelope(signEnvelope(TYPE_URL, fromHex(body), alice), TYPE_URL);
  expect(() => verifyEnvelope({ ...envelope, publicKey: bob.publicKey })).toThrow('bad signature');
  expect(() => verifyEnvelope({ ...envelope, body: accountBytes(bob.account) })).toThrow('bad signature');
});

const whole = {
  signature: new Uint8Array(64),
  publicKey: new Uint8Array(32),
  body: { typeUrl: TYPE_URL, value: new Uint8Array(3) },
};

test.each([
  ['a short signature', { signature: new Uint8Array(63) }, 'part signature, expected 64 bytes, got 63 bytes'],
  ['no key', { publicKey: new Uint8Array() }, 'part public key, expected 32 bytes, got 0 bytes'],
  ['no body', { body: undefined }, 'part body, expected present'],
  ['a type url without its slash', { body: { typeUrl: TYPE_URL.slice(1) } }, 'part type url'],
  [
    'the type url of another chain',
    { body: { typeUrl: '/astria.protocol.transaction.v1.TransactionBody' } },
    'part type url',
  ],
])('an envelope with %s is refused', (_, change, message) => {
  const bytes = toBinary(TransactionSchema, create(TransactionSchema, { ...whole, ...change } as typeof whole));
  expect(() => decodeEnvelope(bytes, TYPE_URL)).toThrow(message);
});

test('a body that comes in two pieces is one body', () => {
  const piece = (hex: string) => `1a${(hex.length / 2).toString(16).padStart(2, '0')}${hex}`;
  const typeUrl = `0a${TYPE_URL.length.toString(16)}${toHex(new TextEncoder().encode(TYPE_URL))}`;
  const head = `0a40${'00'.repeat(64)}1220${'00'.repeat(32)}`;
  const bytes = fromHex(head + piece(typeUrl) + piece('120401020304'));
  expect(decodeEnvelope(bytes, TYPE_URL).body).toEqual(Uint8Array.of(1, 2, 3, 4));
});

const LENGTH = (count: number) => (count < 0x80 ? [count] : [(count & 0x7f) | 0x80, count >> 7]);
const bytesField = (tag: number, content: readonly number[] | Uint8Array) => [
  tag,
  ...LENGTH(content.length),
  ...content,
];
const longer = (tag: number, content: Uint8Array) => [tag, content.length | 0x80, 0, ...content];

/** Encodings of one signed body in other bytes. */
function variants(body: Uint8Array): readonly (readonly [string, readonly number[]])[] {
  const signature = bytesField(0x0a, alice.sign(body));
  const key = bytesField(0x12, alice.publicKey);
  const url = bytesField(0x0a, new TextEncoder().encode(TYPE_URL));
  const value = bytesField(0x12, body);
  const any = bytesField(0x1a, [...url, ...value]);
  return [
    ['an unknown field behind', [...signature, ...key, ...any, 0x20, 1]],
    ['an unknown field before', [0x20, 1, ...signature, ...key, ...any]],
    ['an unknown group', [...signature, ...key, 0x23, 0x24, ...any]],
    ['another order', [...key, ...signature, ...any]],
    ['the body first', [...any, ...signature, ...key]],
    ['a field twice', [...signature, ...signature, ...key, ...any]],
    ['the body twice', [...signature, ...key, ...any, ...any]],
    ['the body in two pieces', [...signature, ...key, ...bytesField(0x1a, url), ...bytesField(0x1a, value)]],
    ['an unknown field in the body', [...signature, ...key, ...bytesField(0x1a, [...url, ...value, 0x18, 0])]],
    ['value before type in the body', [...signature, ...key, ...bytesField(0x1a, [...value, ...url])]],
    ['an empty type that is replaced', [...signature, ...key, ...bytesField(0x1a, [0x0a, 0, ...url, ...value])]],
    ['a longer length', [...longer(0x0a, alice.sign(body)), ...key, ...any]],
    ['a longer tag', [0x8a, 0x00, ...signature.slice(1), ...key, ...any]],
    ['an empty field behind', [...signature, ...key, ...any, 0x1a, 0]],
  ];
}

test.each(variants(fromHex('0a0212')))('an envelope with %s holds as well, and is not canonical', (_, bytes) => {
  const envelope = decodeEnvelope(Uint8Array.from(bytes), TYPE_URL);
  verifyEnvelope(envelope);
  expect(isCanonical(envelope)).toBe(false);
  expect(() => mustBeCanonical(envelope)).toThrow(expect.objectContaining({ reason: 'not-canonical', code: 31 }));
});

test.each(published)('what the original clients sign is canonical: $hash', ({ body }) => {
  const bytes = signEnvelope(TYPE_URL, fromHex(body), alice);
  expect(isCanonical(decodeEnvelope(bytes, TYPE_URL))).toBe(true);
  const within = Buffer.concat([Buffer.alloc(7), bytes, Buffer.alloc(9)]).subarray(7, 7 + bytes.length);
  expect(isCanonical(decodeEnvelope(within, TYPE_URL))).toBe(true);
});

test('canonical is what the protobuf library encodes again to the same bytes', () => {
  const valid = anyBytes({ maxLength: 300 }).map((body) => signEnvelope(TYPE_URL, body, alice));
  const odd = fc
    .tuple(anyBytes({ minLength: 1, maxLength: 20 }), fc.nat(13))
    .map(([body, which]) => Uint8Array.from(variants(body)[which]?.[1] ?? []));
  fc.assert(
    fc.property(fc.oneof(valid, odd, anyDamaged(valid)), (bytes) => {
      let envelope: ReturnType<typeof decodeEnvelope>;
      try {
        envelope = decodeEnvelope(bytes, TYPE_URL);
      } catch {
        return;
      }
      const { signature, publicKey, typeUrl, body } = envelope;
      const again = create(TransactionSchema, { signature, publicKey, body: { typeUrl, value: body } });
      expect(isCanonical(envelope)).toBe(toHex(toBinary(TransactionSchema, again)) === toHex(bytes));
    }),
  );
});

test('damaged envelopes are refused and nothing else is thrown', () => {
  const valid = anyBytes().map((body) => signEnvelope(TYPE_URL, body, alice));
  fc.assert(
    fc.property(fc.oneof(anyBytes(), anyDamaged(valid)), (bytes) => {
      try {
        expect(decodeEnvelope(bytes, TYPE_URL).typeUrl).toBe(TYPE_URL);
      } catch (error) {
        if (!(error instanceof Rejected)) throw error;
      }
    }),
  );
});
