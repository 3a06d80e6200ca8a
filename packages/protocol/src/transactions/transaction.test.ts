import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDenom } from '../accounts/asset.ts';
import { accountIdFromBytes, fromHex, rollupIdFromName, toHex, txHashOf } from '../accounts/ids.ts';
import { verifyStrict } from '../accounts/keys.ts';
import { actionFromWire, actionToWire } from '../actions/index.ts';
import { Rejected } from '../errors.ts';
import {
  ActionSchema,
  TransactionBodySchema,
  TransactionSchema,
  type TransactionBody as WireBody,
} from '../gen/astria/protocol/transaction/v1/transaction_pb.ts';
import { alice, anyAction, anyBytes, anyDamaged, anyText, anyU32, bob } from '../testing.ts';
import { signEnvelope } from './envelope.ts';
import {
  decodeTransaction,
  decodeTransactionBody,
  encodeTransactionBody,
  signTransaction,
  TRANSACTION_TYPE_URL,
  type TransactionBody,
} from './transaction.ts';

const nria = parseDenom('nria');
const submission = {
  kind: 'rollupDataSubmission',
  rollup: rollupIdFromName('messenger-rollup'),
  data: new TextEncoder().encode('hello'),
  feeAsset: nria,
} as const;
const transfer = {
  kind: 'transfer',
  to: { account: bob.account, prefix: 'astria' },
  amount: 1n,
  asset: nria,
  feeAsset: nria,
} as const;
const body = { nonce: 0, chainId: 'sequencer-test-chain-0' };

const anyBody: fc.Arbitrary<TransactionBody> = fc.record({
  nonce: anyU32,
  chainId: anyText,
  actions: fc.array(anyAction, { minLength: 1, maxLength: 5 }),
});

// sequencer.md appendix A, "Full transaction".
test('the published submission is made byte for byte', () => {
  const content = { ...body, actions: [submission] };
  expect(toHex(encodeTransactionBody(content))).toBe(
    '0a18121673657175656e6365722d746573742d636861696e2d30123312310a220a20bc6085ecbbd7b7beac37b98e73cf574d6538692cd591b3388012f3cd672ac5d6120568656c6c6f1a046e726961',
  );
  const bytes = signTransaction(content, alice);
  expect(bytes).toHaveLength(233);
  expect(toHex(bytes.subarray(2, 66))).toBe(
    '3f1fbd7685c9bf119e70067fad8e8c5f47f5e6665a0c80abe0e74f035f70abcecb7ab9c5ffebc05fc59c0600c823439e423ca00880be57b385d79588dbb33c08',
  );
  expect(decodeTransaction(bytes)).toEqual({
    ...content,
    bytes,
    hash: 'a0f388e5cef9d26e6034e715305b41faabae1e73aadc08a272b30a9ac38bc89f',
    signer: alice.account,
    publicKey: alice.publicKey,
    group: 'bundleableGeneral',
  });
});

// sequencer.md appendix A, "Transaction id snapshot": the amount of zero is a present, empty message.
test('the published snapshot of a transfer has its published hash', () => {
  const to = { account: accountIdFromBytes(new Uint8Array(20)), prefix: 'astria' };
  const content = encodeTransactionBody({
    nonce: 1,
    chainId: 'test-1',
    actions: [{ kind: 'transfer', to, amount: 0n, asset: nria, feeAsset: nria }],
  });
  const bytes = toBinary(
    TransactionSchema,
    create(TransactionSchema, {
      signature: fromHex(
        'e3558b89b95167e255d044bec469bfbf25e3a71545a5e5a3bb68a5285c087143a6c2e89ce8758669025a9723f188c82ede257cdbc314c318e3607f98162f920a',
      ),
      publicKey: fromHex('d5bf4a3fcce717b0388bcc2749ebc148ad9969b23f45ee1b605fd58778576ac4'),
      body: { typeUrl: TRANSACTION_TYPE_URL, value: content },
    }),
  );
  // The snapshot fixes the hash; its signature was made over another body.
  expect(decodeTransaction(bytes, () => true).hash).toBe(
    '687751dd9be3d011be63f9fee2144af122ef123621a61936fb2e7d17e2f82b37',
  );
  expect(txHashOf(bytes)).toBe('687751dd9be3d011be63f9fee2144af122ef123621a61936fb2e7d17e2f82b37');
});

test('a body comes back as it was, and is encoded as the protobuf library does it', () => {
  fc.assert(
    fc.property(anyBody, (content) => {
      const bytes = encodeTransactionBody(content);
      expect(decodeTransactionBody(bytes)).toEqual(content);
      const { nonce, chainId, actions } = content;
      const message = create(TransactionBodySchema, { params: { nonce, chainId }, actions: actions.map(actionToWire) });
      expect(bytes).toEqual(toBinary(TransactionBodySchema, message));
    }),
  );
});

test('a damaged body reads as the protobuf library reads it, or is refused', () => {
  fc.assert(
    fc.property(fc.oneof(anyBytes(), anyDamaged(anyBody.map(encodeTransactionBody))), (bytes) => {
      let own: TransactionBody;
      try {
        own = decodeTransactionBody(bytes);
      } catch (error) {
        if (!(error instanceof Rejected)) throw error;
        return;
      }
      const wire: WireBody = fromBinary(TransactionBodySchema, bytes);
      const { nonce, chainId } = wire.params ?? {};
      expect(own).toEqual({ nonce, chainId, actions: wire.actions.map(actionFromWire) });
    }),
    { numRuns: 2000 },
  );
});

test('a submission that is encoded in an unusual way means the same', () => {
  const id = `0a220a20${submission.rollup}`;
  const data = '120568656c6c6f';
  const asset = '1a046e726961';
  const getBody = (...parts: string[]) => {
    const length = (hex: string) => (hex.length / 2).toString(16).padStart(2, '0');
    const inner = parts.join('');
    const action = `12${length(inner)}${inner}`;
    return fromHex(`0a00 12${length(action)}${action}`.replaceAll(' ', ''));
  };
  const expected = { nonce: 0, chainId: '', actions: [submission] };
  expect(decodeTransactionBody(getBody(id, data, asset))).toEqual(expected);
  expect(decodeTransactionBody(getBody(asset, data, id))).toEqual(expected);
  expect(decodeTransactionBody(getBody(id, '120100', data, asset))).toEqual(expected);
  expect(decodeTransactionBody(getBody('0a00', id, data, asset))).toEqual(expected);
  expect(decodeTransactionBody(getBody(id, data, asset, '207f'))).toEqual(expected);
  expect(() => decodeTransactionBody(getBody(data, asset))).toThrow('action 0, part rollup id, expected present');
  expect(() => decodeTransactionBody(getBody(id, data))).toThrow('action 0, asset');
});

test('submissions to several rollups keep their rollup, asset and order', () => {
  const actions = Array.from({ length: 40 }, (_, index) => ({
    ...submission,
    rollup: rollupIdFromName(`rollup-${index % 3}`),
    feeAsset: parseDenom(index % 5 === 0 ? 'ntia' : 'nria'),
    data: Uint8Array.of(index),
  }));
  expect(decodeTransaction(signTransaction({ ...body, actions }, alice)).actions).toEqual(actions);
});

test('a transaction must be signed by its key', () => {
  const bytes = signTransaction({ ...body, actions: [submission] }, alice);
  const forged = bytes.slice();
  forged[10] = (forged[10] ?? 0) ^ 1;
  for (const check of [undefined, verifyStrict]) {
    expect(() => decodeTransaction(forged, check)).toThrow(
      new Rejected('bad-signature', { transaction: txHashOf(forged) }),
    );
    expect(decodeTransaction(bytes, check).signer).toBe(alice.account);
  }
  // A caller that has verified these bytes before need not do it again.
  expect(decodeTransaction(forged, () => true).actions).toEqual([submission]);
});

test('bytes that are no transaction are distinguished from an invalid one', () => {
  const findProblem = (bytes: Uint8Array): unknown => {
    try {
      return decodeTransaction(bytes);
    } catch (error) {
      return error instanceof Rejected ? error.facts.message : error;
    }
  };
  expect(findProblem(Uint8Array.of(0x0a, 0xff))).toBe('Transaction');
  expect(findProblem(new Uint8Array())).toBeUndefined();
  expect(findProblem(signEnvelope(TRANSACTION_TYPE_URL, Uint8Array.of(0x0a, 0xff), alice))).toBe('TransactionBody');
});

test('actions of several groups do not share a transaction', () => {
  const signed = (actions: TransactionBody['actions']) => signTransaction({ ...body, actions }, alice);
  const to = { account: bob.account, prefix: 'astria' };
  const sudo = { kind: 'sudoAddressChange', newAddress: to } as const;
  expect(() => decodeTransaction(signed([transfer, sudo]))).toThrow(
    'group mismatch: first transfer, other sudoAddressChange',
  );
  expect(() => decodeTransaction(signed([sudo, sudo]))).toThrow('group mismatch');
  expect(() => decodeTransaction(signed([]))).toThrow('part actions, expected at least one');
  expect(decodeTransaction(signed([sudo])).group).toBe('unbundleableSudo');
  expect(decodeTransaction(signed([transfer, submission])).actions).toEqual([transfer, submission]);
});

test('an action without its kind is refused, with its place', () => {
  const empty = toBinary(
    TransactionBodySchema,
    create(TransactionBodySchema, { params: {}, actions: [actionToWire(transfer), create(ActionSchema)] }),
  );
  expect(() => decodeTransactionBody(empty)).toThrow('action 1, part action');
  expect(() => decodeTransactionBody(new Uint8Array())).toThrow('part params, expected present');
});
