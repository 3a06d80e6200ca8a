import {
  decodeTransaction,
  formatAddress,
  parseAddress,
  parseDenom,
  type TxHash,
  txHashOf,
} from '@switchyard/protocol';
import { alice, bob } from '@switchyard/protocol/testing';
import { JsonRpcError } from '@switchyard/service';
import { manualClock, settle } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import type { TxResult } from './comet.ts';
import { feesOf, type Submittable, submitAndWait, TransactionRefused } from './submitter.ts';

const NRIA = parseDenom('nria');
const to = { account: parseAddress(formatAddress(bob.account)), prefix: 'astria' };
const body = {
  chainId: 'test',
  actions: [{ kind: 'transfer' as const, to, amount: 5n, asset: NRIA, feeAsset: NRIA }],
};

/**
 * A node that takes transactions in the order of their nonce. A test decides when a block is made and may put answers
 * in front of what the node would say itself.
 */
function fakeNode({ nonce = 0, answers = [] as (number | Error)[] } = {}) {
  const clock = manualClock();
  const blocks = new Map<TxHash, TxResult>();
  const held = new Map<TxHash, number>();
  const sent: number[] = [];
  const node = {
    clock,
    sent,
    nonce,
    code: 0,
    forget: () => held.clear(),
    makeBlock() {
      for (const [hash, used] of held) {
        if (used !== node.nonce) continue;
        node.nonce += 1;
        const attributes = [
          { key: 'asset', value: `ibc/${NRIA.id}` },
          { key: 'feeAmount', value: '12' },
        ];
        blocks.set(hash, {
          hash,
          height: 7n,
          index: 2,
          code: node.code,
          log: '',
          events: [{ type: 'tx.fees', attributes }],
        });
      }
    },
  };
  const client: Submittable = {
    nonce: async () => ({ nonce: node.nonce }),
    async broadcastSync(bytes) {
      const transaction = decodeTransaction(bytes);
      const hash = txHashOf(bytes);
      sent.push(transaction.nonce);
      const answer = answers.shift();
      if (answer instanceof Error) {
        if (answer.message === 'lost answer') held.set(hash, transaction.nonce);
        throw answer;
      }
      const code = answer ?? (transaction.nonce < node.nonce ? 4 : 0);
      if (code === 0) held.set(hash, transaction.nonce);
      return { code, log: code === 0 ? '' : 'no', hash };
    },
    tx: async (hash) => blocks.get(hash),
    denom: async () => 'nria',
  };
  return { node, client };
}

/** Moves the time on until the submission is decided, making a block every second. */
async function submit({ node, client }: ReturnType<typeof fakeNode>, { timeoutMs = 30_000, blocks = true } = {}) {
  let decided = false;
  const outcome = submitAndWait(client, alice, body, { clock: node.clock, timeoutMs }).finally(() => {
    decided = true;
  });
  outcome.catch(() => undefined);
  for (let second = 0; second < 60 && !decided; second += 1) {
    await node.clock.advance(1_000);
    if (blocks) node.makeBlock();
    await settle();
  }
  return outcome;
}

test('waits for the block and returns the fees', async () => {
  const fake = fakeNode({ nonce: 3 });
  expect(await submit(fake)).toEqual({
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    height: 7n,
    nonce: 3,
    fees: [{ asset: 'nria', amount: 12n }],
  });
  expect(fake.node.sent).toEqual([3]);
  expect(fake.node.clock.pending).toBe(0);
});

test('signs again with the next nonce where another transaction waits with this one', async () => {
  const fake = fakeNode({ nonce: 3, answers: [15, 15] });
  fake.node.makeBlock();
  const outcome = submit(fake);
  await settle();
  // The two others get their blocks, too.
  fake.node.nonce = 5;
  expect((await outcome).nonce).toBe(5);
  expect(fake.node.sent).toEqual([3, 4, 5]);
});

test('asks for the nonce again where it was used meanwhile', async () => {
  const fake = fakeNode({ nonce: 3 });
  const { broadcastSync } = fake.client;
  fake.client.broadcastSync = (bytes) => {
    if (fake.node.sent.length === 0) fake.node.nonce = 9;
    return broadcastSync(bytes);
  };
  expect((await submit(fake)).nonce).toBe(9);
  expect(fake.node.sent).toEqual([3, 9]);
});

test('sends the same bytes again where no answer came, and never signs them anew', async () => {
  const fake = fakeNode({ answers: [new Error('no answer'), new Error('lost answer'), 4] });
  const result = await submit(fake);
  expect([result.nonce, fake.node.nonce, new Set(fake.node.sent)]).toEqual([0, 1, new Set([0])]);
});

test.each([
  ['the node already had it', []],
  ['the answer of the node was lost', [new Error('lost answer')]],
])('does not pay twice where a node cannot find yet what it put into a block, and %s', async (_, answers) => {
  const fake = fakeNode({ answers });
  const { tx, broadcastSync } = fake.client;
  // What this node gets is in a block at once, but its index is eight seconds behind.
  fake.client.broadcastSync = (bytes) => broadcastSync(bytes).finally(() => fake.node.makeBlock());
  fake.client.tx = async (hash) => (fake.node.clock.now() > 8_000 ? tx(hash) : undefined);
  expect((await submit(fake)).nonce).toBe(0);
  expect([fake.node.nonce, new Set(fake.node.sent)]).toEqual([1, new Set([0])]);
});

test.each([7, 19])('is refused with code %i', async (code) => {
  const refused = submit(fakeNode({ answers: [code] }));
  await expect(refused).rejects.toThrow(
    new RegExp(`^the sequencer refused the transaction: no \\(code ${code}, transaction [0-9a-f]{64}\\)$`),
  );
});

test('reports why the node dropped the transaction', async () => {
  const fake = fakeNode({ answers: [0, 10] });
  await expect(submit(fake, { blocks: false })).rejects.toMatchObject({ name: 'TransactionRefused', code: 10 });
});

test('reports the block in which it failed', async () => {
  const fake = fakeNode();
  fake.node.code = 10;
  const failed = submit(fake);
  await expect(failed).rejects.toBeInstanceOf(TransactionRefused);
  await expect(failed).rejects.toMatchObject({ height: 7n, code: 10 });
});

test('times out naming what it waited for', async () => {
  const waiting = submit(fakeNode(), { timeoutMs: 5_000, blocks: false });
  await expect(waiting).rejects.toThrow(
    /^transaction [0-9a-f]{64} with nonce 0 was accepted but is in no block yet, .* took longer than 5000 ms$/,
  );
});

test('times out when nothing answers, with the last error as cause', async () => {
  const fake = fakeNode({ answers: Array.from({ length: 100 }, () => new Error('connection refused')) });
  const error: Error = await submit(fake, { timeoutMs: 5_000 }).then(
    () => new Error('it was included'),
    (caught: Error) => caught,
  );
  expect(error.message).toBe('sending the transaction took longer than 5000 ms');
  expect(error.cause).toEqual(new Error('connection refused'));
});

test('an answer of the node is no reason to ask again', async () => {
  const fake = fakeNode({ answers: [new JsonRpcError(-32_603, 'Internal error', 'mempool is full')] });
  await expect(submit(fake)).rejects.toThrow('mempool is full');
  expect(fake.node.sent).toHaveLength(1);
});

test('adds up what was paid by asset', () => {
  const fee = (asset: string, feeAmount: string) => ({
    type: 'tx.fees',
    attributes: [
      { key: 'asset', value: asset },
      { key: 'feeAmount', value: feeAmount },
    ],
  });
  const events = [
    fee('a', '1'),
    fee('b', '5'),
    fee('a', '2'),
    fee('a', 'x'),
    { type: 'tx.deposit', attributes: [{ key: 'feeAmount', value: '9' }] },
  ];
  expect(feesOf(events)).toEqual(
    new Map([
      ['a', 3n],
      ['b', 5n],
    ]),
  );
});
