import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryStore, openLmdbStore } from '@switchyard/machine';
import { type Deposit, formatAddress, signEnvelope, txHashOf, Writer } from '@switchyard/protocol';
import { executorSuite } from '@switchyard/rollup/executor-suite';
import { RollupChain } from '@switchyard/rollup/node';
import { testInput } from '@switchyard/rollup/testing';
import { afterEach, expect, test } from 'vitest';
import { messenger as definition } from './messenger.ts';
import {
  ALICE,
  alice,
  BOB,
  bob,
  CAROL,
  CHAIN,
  carol,
  deposit,
  exampleGenesis,
  FUNDS,
  messenger,
  messengerNode,
  signText,
  text,
  transfer,
} from './testing/messenger.ts';

const BODY_TYPE_URL = definition.typeUrl;

const input = (number: number) => ({
  ...testInput(number, [
    { kind: 'sequencedData', data: text(2 * number - 2, alice, `text ${number}`) },
    { kind: 'sequencedData', data: transfer(2 * number - 1, alice, BOB, BigInt(number)) },
    { kind: 'deposit', deposit: deposit({ sourceTransaction: txHashOf(Uint8Array.of(number)) }) },
  ]),
});

executorSuite('messenger, in memory', async () => {
  const store = createMemoryStore();
  const open = () => RollupChain.open(messenger(exampleGenesis()), store);
  return {
    executor: await open(),
    reopen() {
      store.drop();
      return open();
    },
    input,
  };
});

executorSuite('messenger, on disk', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'messenger-'));
  let store = await openLmdbStore(directory);
  return {
    executor: await RollupChain.open(messenger(exampleGenesis()), store),
    async reopen() {
      await store.close();
      store = await openLmdbStore(directory);
      return RollupChain.open(messenger(exampleGenesis()), store);
    },
    input,
    async close() {
      await store.close();
      rmSync(directory, { recursive: true });
    },
  };
});

const nodes: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});
async function started(...options: Parameters<typeof messengerNode>) {
  const node = await messengerNode(...options);
  nodes.push(node);
  return node;
}

test('a text costs one unit, and the nonce rises once per transaction', async () => {
  const node = await started();
  const actions = (writer: Writer) => {
    for (const words of ['one', 'two']) {
      writer.message(2, (action) => action.message(2, (message) => message.string(1, words).string(3, 'nria')));
    }
    return writer;
  };
  const both = actions(new Writer().message(1, (params) => params.string(2, CHAIN))).finish();
  await node.block({ data: [signEnvelope(BODY_TYPE_URL, both, alice), text(1, alice)] });
  expect(node.chain.view.block).toMatchObject({ executed: 2, refused: 0 });
  expect([node.balance(alice), node.node.committedNonce(alice.account)]).toEqual([FUNDS - 3n, 2]);
});

test('transfers move any asset, are free, and may go to oneself or be of nothing', async () => {
  const node = await started();
  await node.block({ deposits: [deposit({ amount: 7n })] });
  await node.block({
    data: [
      transfer(0, alice, BOB, 10n),
      transfer(0, bob, ALICE, 7n, 'ntia'),
      transfer(1, bob, BOB, FUNDS),
      transfer(2, bob, CAROL, 0n, 'transfer/channel-0/utia'),
    ],
  });
  expect(node.chain.view.block).toMatchObject({ executed: 4, refused: 0 });
  expect([node.balance(alice), node.balance(bob)]).toEqual([FUNDS - 10n, FUNDS + 10n]);
  expect([node.balance(alice, 'ntia'), node.balance(bob, 'ntia')]).toEqual([7n, 0n]);
});

test('actions of a transaction take effect together or not at all', async () => {
  const node = await started();
  const body = new Writer()
    .message(1, (params) => params.string(2, CHAIN))
    .message(2, (action) => action.message(2, (message) => message.string(1, 'lost').string(3, 'nria')))
    .message(2, (action) =>
      action.message(1, (message) =>
        message
          .message(1, (address) => address.string(2, BOB))
          .message(2, (amount) => amount.uint64(2, 1n))
          .string(3, 'nria')
          .string(4, 'nria'),
      ),
    )
    .finish();
  await node.block({ data: [signEnvelope(BODY_TYPE_URL, body, alice)] });
  expect(node.chain.view.block).toMatchObject({ executed: 0, refused: 1 });
  expect([node.balance(alice), node.node.committedNonce(alice.account)]).toEqual([FUNDS, 1]);
  expect((await node.get('/recent')).body).toHaveLength(1);
});

/** A text as a careless or hostile client signs it, past all checks. */
function rawText({ words = 'gm', from = 'a', feeAsset = 'nria', nonce = 0 } = {}): Uint8Array {
  const body = new Writer()
    .message(1, (params) => params.uint32(1, nonce).string(2, CHAIN))
    .message(2, (action) =>
      action.message(2, (message) => message.string(1, words).string(2, from).string(3, feeAsset)),
    )
    .finish();
  return signEnvelope(BODY_TYPE_URL, body, alice);
}

function flipped(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[10] = (copy[10] ?? 0) ^ 1;
  return copy;
}

const refusals: [string, () => Uint8Array, number, string][] = [
  ['nothing', () => new Uint8Array(0), 400, 'empty'],
  ['bytes that are no transaction', () => Uint8Array.of(255, 255, 255), 400, 'malformed'],
  [
    'an unsigned transaction',
    () => new Writer().message(3, (any) => any.string(1, BODY_TYPE_URL)).finish(),
    400,
    'malformed',
  ],
  ['a wrong signature', () => flipped(text(0, alice)), 400, 'bad-signature'],
  ['a body of another kind', () => signEnvelope('/other.Body', new Uint8Array(1), alice), 400, 'malformed'],
  [
    'another chain',
    () => signText({ nonce: 0, chainId: 'other', text: 'a', from: '', feeAsset: 'nria' }, alice),
    400,
    'wrong-chain',
  ],
  ['a nonce to come', () => text(7, alice), 409, 'nonce-too-high'],
  ['an account without funds', () => text(0, carol), 422, 'insufficient-balance'],
  ['more than is held', () => transfer(0, alice, BOB, FUNDS + 1n), 422, 'insufficient-balance'],
  ['an asset that is not held', () => transfer(0, alice, BOB, 1n, 'ntia'), 422, 'insufficient-balance'],
  ['an empty text', () => rawText({ words: '' }), 400, 'empty'],
  ['a long text', () => rawText({ words: 'x'.repeat(2_001) }), 413, 'too-large'],
  ['a text long in bytes', () => rawText({ words: '€'.repeat(700) }), 413, 'too-large'],
  ['a long name', () => rawText({ from: 'x'.repeat(65) }), 413, 'too-large'],
  ['a long transaction', () => rawText({ words: 'x'.repeat(17_000) }), 413, 'too-large'],
  ['another fee asset', () => rawText({ feeAsset: 'ntia' }), 400, 'fee-asset-not-allowed'],
  ['an address of another network', () => transfer(0, alice, formatAddress(bob.account, 'foo'), 1n), 400, 'malformed'],
];

test.each(refusals)('%s is refused at intake, and in a block passed over', async (_, make, status, code) => {
  const node = await started();
  const bytes = make();
  const answer = await node.post('/submit_transaction', bytes);
  expect([answer.status, answer.body]).toMatchObject([status, { error: { code } }]);
  await node.block({ data: [bytes] });
  expect(node.chain.view.block).toMatchObject({ executed: 0, refused: 1 });
  await node.block({ data: [text(node.node.committedNonce(alice.account), alice)] });
  expect(node.chain.view.block).toMatchObject({ executed: 1, refused: 0 });
  expect((await node.get(`/v1/transactions/${txHashOf(bytes)}`)).body).toMatchObject({
    state: 'refused',
    reason: expect.stringContaining(code.split('-')[0] ?? ''),
  });
  expect(node.balance(alice)).toBe(FUNDS - 1n);
});

test.each<[string, Partial<Deposit>]>([
  ['an unreadable destination', { destination: '0x1234' }],
  ['an unknown bridge account', { bridge: { account: alice.account, prefix: 'astria' } }],
  ['an amount beyond all bounds', { asset: 'nria', amount: (1n << 128n) - 1n }],
])('a deposit with %s is skipped and can be asked for', async (_, changes) => {
  const node = await started();
  await node.block({ deposits: [deposit(changes), deposit()] });
  expect(node.balance(bob, 'ntia')).toBe(1n);
  expect((await node.get('/v1/deposits/skipped')).body).toMatchObject({
    deposits: [{ id: 1, block: 1, bridge: expect.any(String), reason: expect.any(String) }],
  });
});

test('a deposit is credited under its own asset, whatever prefix its destination has', async () => {
  const node = await started();
  await node.block({ deposits: [deposit({ destination: formatAddress(bob.account, 'other') })] });
  expect([node.balance(bob, 'ntia'), node.balance(bob)]).toEqual([1n, FUNDS]);
});

test('after a restart everything is there, and genesis is not applied again', async () => {
  const store = createMemoryStore();
  const first = await messengerNode({ store });
  await first.block({ data: [text(0, alice, 'stays'), transfer(1, alice, BOB, 5n)], deposits: [deposit()] });
  const before = await first.get('/recent');
  await first.stop();
  const again = await started({ store });
  expect((await again.get('/recent')).body).toEqual(before.body);
  expect([again.balance(alice), again.balance(bob), again.balance(bob, 'ntia')]).toEqual([FUNDS - 6n, FUNDS + 5n, 1n]);
  await again.block({ data: [text(2, alice, 'after the restart')] });
  expect((await again.get('/v1/texts/2')).body).toMatchObject({ message: 'after the restart', block: 2 });
});
