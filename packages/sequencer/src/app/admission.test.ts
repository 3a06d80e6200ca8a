import { create, toBinary } from '@bufbuild/protobuf';
import { fromHex, signEnvelope, signTransaction } from '@switchyard/protocol';
import { transaction } from '@switchyard/protocol/gen';
import { expect, test } from 'vitest';
import { CODES } from './codes.ts';
import {
  address,
  alice,
  appStateJson,
  bob,
  bridge,
  CHAIN_ID,
  data,
  initBridge,
  lock,
  NTIA,
  pauper,
  RICH,
  TestNode,
  transfer,
  unlock,
} from './testing.ts';

const makeCode = (name: keyof typeof CODES) => ({ code: CODES[name][0], info: CODES[name][1] });
const bits = (bytes: Uint8Array, at: number): Uint8Array =>
  bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));

test('accepts a valid transaction, and returns its hash', () => {
  const node = new TestNode();
  const verdict = node.check(node.sign(alice, [data('hello')]));
  expect(verdict).toMatchObject({ ...makeCode('ok'), log: '' });
  expect(node.app.mempool.findState(verdict.hash)).toBe('pending');
});

test('answers 0 for what it holds, pending or parked, new or recheck', () => {
  const node = new TestNode();
  for (const bytes of [node.sign(alice, [data('a')]), node.sign(alice, [data('b')], 7)]) {
    expect([node.check(bytes).code, node.check(bytes).code, node.app.checkTx(bytes, 'recheck').code]).toEqual([
      0, 0, 0,
    ]);
  }
  expect(node.app.mempool.count).toBe(2);
});

test.each<[string, keyof typeof CODES, (node: TestNode) => Uint8Array]>([
  ['bytes that are no transaction', 'notATransaction', () => fromHex('ff00ff')],
  ['nothing', 'invalidTransaction', () => new Uint8Array()],
  ['a changed signature', 'invalidTransaction', (node) => bits(node.sign(alice, [data('x')]), 10)],
  ['another type of body', 'invalidTransaction', () => signEnvelope('/other.Body', new Uint8Array([8, 1]), alice)],
  [
    'an unknown field behind the signed body',
    'invalidTransaction',
    (node) => Uint8Array.from([...node.sign(alice, [data('x')]), 0x20, 1]),
  ],
  ['no actions', 'invalidTransaction', () => signTransaction({ nonce: 0, chainId: CHAIN_ID, actions: [] }, alice)],
  ['actions of two groups', 'invalidTransaction', (node) => node.sign(alice, [data('x'), initBridge()])],
  ['two unbundleable actions', 'invalidTransaction', (node) => node.sign(alice, [initBridge(), initBridge()])],
  ['too many bytes', 'tooLarge', (node) => node.sign(alice, [data('x'.repeat(256_000))])],
  ['another chain', 'wrongChain', (node) => node.sign(alice, [data('x')], 0, 'other-1')],
  ['empty data', 'actionRefused', (node) => node.sign(alice, [data('')])],
  ['a lock to an ordinary account', 'actionRefused', (node) => node.sign(alice, [lock(1n)])],
  ['an unlock from an ordinary account', 'actionRefused', (node) => node.sign(alice, [unlock(1n, 'w')])],
  [
    'an address of another chain',
    'actionRefused',
    (node) => node.sign(alice, [{ ...transfer(bob, 1n), to: address(bob, 'other') }]),
  ],
  ['another fee asset', 'internal', (node) => node.sign(alice, [{ ...data('x'), feeAsset: NTIA }])],
])('refuses %s', (_, name, make) => {
  const node = new TestNode();
  const verdict = node.check(make(node));
  expect(verdict).toMatchObject(makeCode(name));
  expect(verdict.log).not.toBe('');
  expect(node.app.mempool.count).toBe(0);
});

test('refuses an action without fees as disabled, and tells the chain id only after everything else', () => {
  const { transfer: _, ...fees } = appStateJson().fees as Record<string, unknown>;
  const node = new TestNode({ appState: appStateJson({ fees }) });
  expect(node.check(node.sign(alice, [transfer(bob, 1n)]))).toMatchObject({
    ...makeCode('internal'),
    log: expect.stringContaining('action disabled'),
  });
  const both = node.sign(alice, [data('')], 0, 'other-1');
  expect(node.check(both)).toMatchObject(makeCode('actionRefused'));
});

const { ActionSchema, TransactionBodySchema } = transaction;

test.each([
  ['ibc', 'astria_vendored.penumbra.core.component.ibc.v1.IbcRelay'],
  ['ics20Withdrawal', 'astria.protocol.transaction.v1.Ics20Withdrawal'],
  ['ibcRelayerChange', 'astria.protocol.transaction.v1.IbcRelayerChange'],
  ['ibcSudoChange', 'astria.protocol.transaction.v1.IbcSudoChange'],
  ['recoverIbcClient', 'astria.protocol.transaction.v1.RecoverIbcClient'],
  ['currencyPairsChange', 'astria.protocol.transaction.v1.CurrencyPairsChange'],
  ['marketsChange', 'astria.protocol.transaction.v1.MarketsChange'],
] as const)('refuses %s by its name', (kind, name) => {
  // All of them may be empty, so one stands for all.
  const action = create(ActionSchema, { value: { case: kind as 'ibcSudoChange', value: {} } });
  const body = create(TransactionBodySchema, { params: { nonce: 0, chainId: CHAIN_ID }, actions: [action] });
  const bytes = signEnvelope(
    '/astria.protocol.transaction.v1.TransactionBody',
    toBinary(TransactionBodySchema, body),
    alice,
  );
  expect(new TestNode().check(bytes)).toMatchObject({
    ...makeCode('actionRefused'),
    log: expect.stringMatching(new RegExp(`^unsupported action: action ${name}`)),
  });
});

test('tells what became of a transaction, once for removals, again and again for inclusion', async () => {
  const node = new TestNode();
  const included = node.submit(alice, data('a'));
  await node.make();
  expect([node.check(included), node.check(included)]).toMatchObject([
    makeCode('alreadyIncluded'),
    makeCode('alreadyIncluded'),
  ]);
  const stale = node.sign(alice, [data('b')], 0);
  expect(node.check(stale)).toMatchObject(makeCode('invalidNonce'));

  const expired = node.submit(bob, data('c'));
  node.now = 240_001;
  node.submit(alice, data('d'));
  expect(node.check(expired)).toMatchObject(makeCode('expired'));
  expect(node.check(expired)).toMatchObject(makeCode('ok'));
});

test('refuses a nonce that is held, and never replaces', () => {
  const node = new TestNode();
  node.submit(alice, data('a'));
  expect(node.check(node.sign(alice, [data('b')], 0))).toMatchObject(makeCode('nonceTaken'));
  expect(node.app.mempool.count).toBe(1);
});

test('refuses beyond its limits, each with its own code', () => {
  const node = new TestNode({ mempool: { maxParkedPerAccount: 1, maxParked: 2, maxCount: 3 } });
  const park = (who = alice, nonce = 5) => node.check(node.sign(who, [data('x')], nonce));
  expect([park(), park(alice, 6), park(bob), park(pauper)]).toMatchObject([
    makeCode('ok'),
    makeCode('accountParkedFull'),
    makeCode('ok'),
    makeCode('parkedFull'),
  ]);
  expect(node.check(node.sign(alice, [data('y')], 0))).toMatchObject(makeCode('ok'));
  expect(node.check(node.sign(alice, [data('z')], 1))).toMatchObject(makeCode('insertionFailed'));
});

test('parks who cannot pay', () => {
  const node = new TestNode();
  const verdict = node.check(node.sign(pauper, [data('x')]));
  expect(verdict.code).toBe(0);
  expect(node.app.mempool.findState(verdict.hash)).toBe('parked');
});

test('charges a withdrawal to the bridge account, so a withdrawer needs the fee alone', async () => {
  const node = new TestNode();
  node.submit(bridge, initBridge({ withdrawer: address(pauper) }));
  node.submit(alice, transfer(pauper, 24n));
  await node.make();
  const paid = node.check(node.sign(pauper, [unlock(RICH / 2n, 'w1')]));
  expect(node.app.mempool.findState(paid.hash)).toBe('pending');
  await node.make();
  const unpaid = node.check(node.sign(pauper, [unlock(RICH, 'w2')]));
  expect(node.app.mempool.findState(unpaid.hash)).toBe('parked');
});

test('keeps no larger buffer alive than the transaction', () => {
  const node = new TestNode();
  const signed = node.sign(alice, [data('x')]);
  const big = new Uint8Array(100_000);
  big.set(signed, 50);
  const { hash } = node.check(big.subarray(50, 50 + signed.length));
  big.fill(0);
  expect(node.app.mempool.get(hash)?.bytes).toEqual(signed);
  expect(node.app.mempool.get(hash)?.bytes.buffer.byteLength).toBe(signed.length);
});
