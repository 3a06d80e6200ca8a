import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { formatAddress, parseAnyAddress, parseDenom, Rejected } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Action, TransactionBodySchema } from '../gen/transaction/v1/transaction_pb.ts';
import { ALICE, alice, BOB } from '../testing/messenger.ts';
import { decodeBody } from './body.ts';
import { MAX_ACTIONS } from './limits.ts';

const u64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
const asset = fc.constantFrom('nria', 'ntia', 'transfer/channel-0/utia', `ibc/${'ab'.repeat(32)}`);
const address = fc.constantFrom(ALICE, BOB, formatAddress(alice.account, 'other'));
const action = fc.oneof(
  fc
    .record({ text: fc.string({ unit: 'binary' }), from: fc.string({ unit: 'binary' }), feeAsset: asset })
    .map((value) => ({
      value: { case: 'sendText' as const, value },
    })),
  fc
    .record({
      to: address.map((bech32m) => ({ bech32m })),
      amount: fc.record({ lo: u64, hi: u64 }),
      asset,
      feeAsset: asset,
    })
    .map((value) => ({ value: { case: 'transfer' as const, value } })),
);
const body = fc.record({
  params: fc.record({ nonce: fc.nat(2 ** 32 - 1), chainId: fc.string({ unit: 'binary' }) }),
  actions: fc.array(action, { minLength: 1, maxLength: 4 }),
});

/** Expected result of our decoder for a message of the generated code. */
function domainOf({ value: action }: Action) {
  switch (action.case) {
    case 'sendText': {
      const { text, from, feeAsset } = action.value;
      return { kind: 'sendText', text, name: from, feeAsset: parseDenom(feeAsset) };
    }
    case 'transfer': {
      const { to, amount, asset: name, feeAsset } = action.value;
      return {
        kind: 'transfer',
        to: parseAnyAddress(to?.bech32m ?? ''),
        amount: ((amount?.hi ?? 0n) << 64n) | (amount?.lo ?? 0n),
        asset: parseDenom(name),
        feeAsset: parseDenom(feeAsset),
      };
    }
    default:
      throw new Error('no action');
  }
}

test('reads what the generated code writes', () => {
  fc.assert(
    fc.property(body, (message) => {
      const wire = create(TransactionBodySchema, message);
      expect(decodeBody(toBinary(TransactionBodySchema, wire))).toEqual({
        nonce: message.params.nonce,
        chainId: message.params.chainId,
        actions: wire.actions.map(domainOf),
      });
    }),
  );
});

test('agrees with the generated code on damaged bytes, or refuses them, and throws nothing else', () => {
  const damage = fc.record({ at: fc.nat(), to: fc.nat(255) });
  fc.assert(
    fc.property(body, fc.array(damage, { minLength: 1, maxLength: 3 }), (message, damages) => {
      const bytes = toBinary(TransactionBodySchema, create(TransactionBodySchema, message));
      for (const { at, to } of damages) bytes[at % bytes.length] = to;
      let read: ReturnType<typeof decodeBody>;
      try {
        read = decodeBody(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(Rejected);
        return;
      }
      const wire = fromBinary(TransactionBodySchema, bytes);
      expect(read.nonce).toBe(wire.params?.nonce ?? 0);
      expect(read.actions).toEqual(wire.actions.map(domainOf));
    }),
    { numRuns: 1_000 },
  );
});

test('messages that come in pieces are merged as the generated code merges them', () => {
  const piece = (message: object) => toBinary(TransactionBodySchema, create(TransactionBodySchema, message));
  const bytes = Buffer.concat([
    piece({ params: { nonce: 3 } }),
    piece({ actions: [{ value: { case: 'sendText', value: { text: 'a', feeAsset: 'nria' } } }] }),
    piece({ params: { chainId: 'x' } }),
  ]);
  expect(decodeBody(bytes)).toMatchObject({ nonce: 3, chainId: 'x', actions: { length: 1 } });
});

const whole = (message: object) => toBinary(TransactionBodySchema, create(TransactionBodySchema, message));
const params = { nonce: 0, chainId: 'x' };
const gm = { value: { case: 'sendText' as const, value: { text: 'gm', from: 'a', feeAsset: 'nria' } } };
const pay = (value: object) => ({
  value: { case: 'transfer' as const, value: { to: { bech32m: ALICE }, asset: 'nria', feeAsset: 'nria', ...value } },
});

test.each([
  ['no parameters', { actions: [gm] }, 'malformed'],
  ['no actions', { params }, 'empty'],
  ['an action of no kind', { params, actions: [gm, {}] }, 'malformed'],
  ['too many actions', { params, actions: Array(MAX_ACTIONS + 1).fill(gm) }, 'too-large'],
  ['no recipient', { params, actions: [pay({ to: undefined })] }, 'malformed'],
  ['an unreadable recipient', { params, actions: [pay({ to: { bech32m: 'astria1nope' } })] }, 'malformed'],
  ['an unreadable asset', { params, actions: [pay({ asset: 'a/b' })] }, 'malformed'],
  ['an unreadable fee asset', { params, actions: [pay({ feeAsset: '' })] }, 'malformed'],
])('refuses a body with %s', (_, message, reason) => {
  expect(() => decodeBody(whole(message))).toThrow(expect.objectContaining({ reason }));
});

test('an amount that is absent is zero', () => {
  expect(decodeBody(whole({ params, actions: [pay({})] })).actions).toMatchObject([{ amount: 0n }]);
});
