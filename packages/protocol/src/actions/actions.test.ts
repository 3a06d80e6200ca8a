import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatAddress } from '../accounts/address.ts';
import { decodeMessage } from '../bytes/message.ts';
import { Rejected } from '../errors.ts';
import { ActionSchema } from '../gen/astria/protocol/transaction/v1/transaction_pb.ts';
import { alice, anyAction, anyDamaged } from '../testing.ts';
import { ACTION_KINDS, actionFromWire, actionToWire, GROUP_RANK, getGroup, toProtoName } from './index.ts';

type Init = NonNullable<MessageInitShape<typeof ActionSchema>['value']>;
const read = (value: Init) => actionFromWire(create(ActionSchema, { value }));
const to = { bech32m: formatAddress(alice.account) };
const assets = { asset: 'nria', feeAsset: 'nria' };
const amount = { lo: 5n };

test('every action comes back from the wire', () => {
  fc.assert(
    fc.property(anyAction, (action) => {
      expect(actionFromWire(actionToWire(action))).toEqual(action);
    }),
  );
});

test('a damaged action is refused, or is some action', () => {
  const valid = anyAction.map((action) => toBinary(ActionSchema, actionToWire(action)));
  fc.assert(
    fc.property(anyDamaged(valid), (bytes) => {
      try {
        expect(toProtoName(actionFromWire(decodeMessage(ActionSchema, bytes)).kind)).toContain('.');
      } catch (error) {
        if (!(error instanceof Rejected)) throw error;
      }
    }),
    { numRuns: 1000 },
  );
});

// proto-tables.md A, "Presence".
test.each<[string, Init]>([
  ['transfer without to', { case: 'transfer', value: { amount, ...assets } }],
  ['transfer without asset', { case: 'transfer', value: { to, amount, feeAsset: 'nria' } }],
  ['transfer without fee asset', { case: 'transfer', value: { to, amount, asset: 'nria' } }],
  ['submission without rollup', { case: 'rollupDataSubmission', value: { feeAsset: 'nria' } }],
  [
    'submission with a short rollup id',
    { case: 'rollupDataSubmission', value: { rollupId: { inner: new Uint8Array(31) }, feeAsset: 'nria' } },
  ],
  ['bridge account without rollup', { case: 'initBridgeAccount', value: assets }],
  ['lock without amount', { case: 'bridgeLock', value: { to, ...assets } }],
  ['unlock without amount', { case: 'bridgeUnlock', value: { to, bridgeAddress: to, feeAsset: 'nria' } }],
  ['unlock without bridge', { case: 'bridgeUnlock', value: { to, amount, feeAsset: 'nria' } }],
  [
    'bridge transfer without destination',
    { case: 'bridgeTransfer', value: { to, amount, bridgeAddress: to, feeAsset: 'nria' } },
  ],
  ['sudo change of a bridge without bridge', { case: 'bridgeSudoChange', value: { feeAsset: 'nria' } }],
  ['sudo change without address', { case: 'sudoAddressChange', value: {} }],
  ['sudo change with a bad address', { case: 'sudoAddressChange', value: { newAddress: { bech32m: 'astria1' } } }],
  ['validator without key', { case: 'validatorUpdate', value: { power: 1n } }],
  [
    'validator of another curve',
    { case: 'validatorUpdate', value: { pubKey: { sum: { case: 'secp256k1', value: new Uint8Array(33) } } } },
  ],
  [
    'validator of negative power',
    { case: 'validatorUpdate', value: { pubKey: { sum: { case: 'ed25519', value: new Uint8Array(32) } }, power: -1n } },
  ],
  [
    'validator of too much power',
    {
      case: 'validatorUpdate',
      value: { pubKey: { sum: { case: 'ed25519', value: new Uint8Array(32) } }, power: 1n << 32n },
    },
  ],
  ['fee change of nothing', { case: 'feeChange', value: {} }],
  [
    'fee change without multiplier',
    { case: 'feeChange', value: { feeComponents: { case: 'transfer', value: { base: amount } } } },
  ],
  ['fee asset change of nothing', { case: 'feeAssetChange', value: {} }],
])('%s is malformed', (_, value) => {
  expect(() => read(value)).toThrow(Rejected);
});

test('a transfer without an amount is one of zero, and a lock may name zero', () => {
  expect(read({ case: 'transfer', value: { to, ...assets } })).toMatchObject({ amount: 0n });
  expect(read({ case: 'bridgeLock', value: { to, amount: {}, ...assets } })).toMatchObject({
    amount: 0n,
    destination: '',
  });
});

test('an unsupported action is recognised by name, and never encoded', () => {
  const kinds = [
    'ibc',
    'ics20Withdrawal',
    'ibcRelayerChange',
    'ibcSudoChange',
    'recoverIbcClient',
    'currencyPairsChange',
    'marketsChange',
  ] as const;
  for (const kind of kinds) {
    expect(actionFromWire(create(ActionSchema, { value: { case: kind, value: {} } as Init }))).toEqual({ kind });
    expect(() => actionToWire({ kind })).toThrow(`unsupported action: action ${kind}`);
  }
});

test.each(ACTION_KINDS)('a fee change of %s comes back from its bytes', (action) => {
  const change = { kind: 'feeChange', action, base: 1n, multiplier: 2n } as const;
  const bytes = toBinary(ActionSchema, actionToWire(change));
  expect(actionFromWire(decodeMessage(ActionSchema, bytes))).toEqual(change);
});

test('the fee of an IBC relay is the fee of the action that carries it', () => {
  const change = { kind: 'feeChange', action: 'ibc', base: 1n, multiplier: 2n } as const;
  expect(actionToWire(change).value).toMatchObject({ value: { feeComponents: { case: 'ibcRelay' } } });
});

test('every kind of the wire has a definition and the full name of its message', () => {
  expect([...ACTION_KINDS].sort()).toEqual(ActionSchema.fields.map((field) => field.localName).sort());
  expect(toProtoName('rollupDataSubmission')).toBe('astria.protocol.transaction.v1.RollupDataSubmission');
  expect(toProtoName('ibc')).toBe('astria_vendored.penumbra.core.component.ibc.v1.IbcRelay');
  expect(new Set(Object.values(GROUP_RANK)).size).toBe(4);
});

test('bundleable actions stand together, unbundleable ones alone', () => {
  expect(getGroup([{ kind: 'ibc' }, { kind: 'ics20Withdrawal' }])).toBe('bundleableGeneral');
  expect(getGroup([{ kind: 'marketsChange' }, { kind: 'ibcRelayerChange' }])).toBe('bundleableSudo');
  expect(getGroup([{ kind: 'ibcSudoChange' }])).toBe('unbundleableSudo');
  expect(() => getGroup([{ kind: 'ibcSudoChange' }, { kind: 'ibcSudoChange' }])).toThrow('expected alone');
  expect(() => getGroup([])).toThrow('malformed');
});
