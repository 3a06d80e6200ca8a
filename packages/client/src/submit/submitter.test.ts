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
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TxExecution, TxResult } from '../sequencer/comet.ts';
import { getFees, type Submittable, submitAndWait, TransactionRefused } from './submitter.ts';

const NRIA = parseDenom('nria');
const to = { account: parseAddress(formatAddress(bob.account)), prefix: 'astria' };
const body = {
  chainId: 'test',
  actions: [{ kind: 'transfer' as const, to, amount: 5n, asset: NRIA, feeAsset: NRIA }],
};

/** Bytes that a sequencer puts in front of the transactions of a block. */
const INJECTED = new Uint8Array(32);
const EXECUTED: TxExecution = { code: 0, log: '', events: [] };

/**
 * A node that takes transactions in the order of their nonce. A test decides when a block is made and may put answers
 * in front of the node's own message.
 */
function fakeNode({ nonce = 0, answers = [] as (number | Error)[] } = {}) {
  const clock = manualClock();
  const blocks = new Map<TxHash, TxResult>();
  const chain: { readonly bytes: Uint8Array; readonly result: TxResult }[] = [];
  const held = new Map<TxHash, { readonly nonce: number; readonly bytes: Uint8Array }>();
  const sent: number[] = [];
  const node = {
    clock,
    sent,
    nonce,
    code: 0,
    forget: () => held.clear(),
    makeBlock() {
      for (const [hash, { nonce: used, bytes }] of held) {
        if (used !== node.nonce) continue;
        node.nonce += 1;
        const attributes = [
          { key: 'asset', value: `ibc/${NRIA.id}` },
          { key: 'feeAmount', value: '12' },
        ];
        const result = {
          hash,
          height: 7n,
          index: 2,
          code: node.code,
          log: '',
          events: [{ type: 'tx.fees', attributes }],
        };
        blocks.set(hash, result);
        chain.push({ bytes, result });
      }
    },
  };
  const client: Submittable = {
    nonce: async () => ({ nonce: node.nonce, height: chain.length > 0 ? 7n : 6n }),
    async broadcastSync(bytes) {
      const transaction = decodeTransaction(bytes);
      const hash = txHashOf(bytes);
      sent.push(transaction.nonce);
      const answer = answers.shift();
      if (answer instanceof Error) {
        if (answer.message === 'lost answer') held.set(hash, { nonce: transaction.nonce, bytes });
        throw answer;
      }
      const code = answer ?? (transaction.nonce < node.nonce ? 4 : 0);
      if (code === 0) held.set(hash, { nonce: transaction.nonce, bytes });
      return { code, log: code === 0 ? '' : 'no', hash };
    },
    tx: async (hash) => blocks.get(hash),
    block: async () => ({ txs: [INJECTED, INJECTED, ...chain.map(({ bytes }) => bytes)] }),
    blockResults: async () => [EXECUTED, EXECUTED, ...chain.map(({ result }) => result)],
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
  // This node has each transaction in a block at once, but its index is eight seconds behind.
  fake.client.broadcastSync = (bytes) => broadcastSync(bytes).finally(() => fake.node.makeBlock());
  fake.client.tx = async (hash) => (fake.node.clock.now() > 8_000 ? tx(hash) : undefined);
  expect((await submit(fake)).nonce).toBe(0);
  expect([fake.node.nonce, new Set(fake.node.sent)]).toEqual([1, new Set([0])]);
});

/** A node that is killed after it stored a block and before it wrote the block's index entries. */
function nodeWithoutIndex(answers: (number | Error)[]) {
  const fake = fakeNode({ nonce: 3, answers });
  fake.client.tx = async () => undefined;
  return fake;
}

// Defect: Executed transaction reported as refused or not included when a killed CometBFT lost its index entry
test.each([
  ['reported as included', [0, 18]],
  ['whose nonce is reported as used', [0, 4]],
  ['whose answer was lost', [new Error('lost answer'), 4]],
])('a transaction %s is found in its block where the index of the node never gets it', async (_, answers) => {
  const fake = nodeWithoutIndex(answers);
  expect(await submit(fake)).toMatchObject({ nonce: 3, height: 7n, fees: [{ asset: 'nria', amount: 12n }] });
  expect([fake.node.nonce, new Set(fake.node.sent)]).toEqual([4, new Set([3])]);
});

test('a transaction that failed in its block is refused where the index of the node never gets it', async () => {
  const fake = nodeWithoutIndex([0, 18]);
  fake.node.code = 10;
  await expect(submit(fake)).rejects.toMatchObject({ name: 'TransactionRefused', code: 10, height: 7n });
});

test('is signed again where the blocks show that another transaction used the nonce', async () => {
  const fake = fakeNode({ nonce: 3, answers: [new Error('no answer'), 4] });
  const { broadcastSync } = fake.client;
  fake.client.broadcastSync = (bytes) => {
    if (fake.node.sent.length === 1) fake.node.nonce = 5;
    return broadcastSync(bytes);
  };
  expect((await submit(fake)).nonce).toBe(5);
  expect(fake.node.sent).toEqual([3, 3, 5]);
});

test('does not report a refusal while a block that may hold the transaction cannot be read', async () => {
  const fake = nodeWithoutIndex([0, ...Array.from({ length: 20 }, () => 4)]);
  fake.client.block = () => Promise.reject(new JsonRpcError(-32_603, 'Internal error', 'height 7 is not available'));
  await expect(submit(fake)).rejects.toThrow(/is in no block yet|took longer than/);
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

test('whatever is lost, it is executed once at most, and what is reported of it is true', async () => {
  const rarely = fc.constantFrom(false, false, false, true);
  const second = fc.record({
    loses: fc.constantFrom(undefined, undefined, 'question', 'answer'),
    forgets: rarely,
    /** Another sender uses the next nonce. */
    isRaced: rarely,
    makesBlock: fc.boolean(),
    isIndexed: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(second, { minLength: 1, maxLength: 40 }), async (seconds) => {
      const { node, client } = fakeNode({ nonce: 3 });
      const { broadcastSync, tx } = client;
      let now: (typeof seconds)[number] | undefined;
      client.broadcastSync = async (bytes) => {
        if (now?.loses === 'question') throw new Error('no connection');
        const checked = await broadcastSync(bytes);
        if (now?.loses === 'answer') throw new Error('connection reset');
        return checked;
      };
      client.tx = async (hash) => (now?.isIndexed === true ? tx(hash) : undefined);
      let isDecided = false;
      const outcome = submitAndWait(client, alice, body, { clock: node.clock, timeoutMs: 30_000 }).then(
        (submitted) => submitted,
        (error: unknown) => error,
      );
      void outcome.then(() => {
        isDecided = true;
      });
      for (now of seconds) {
        await node.clock.advance(1_000);
        if (now.forgets) node.forget();
        if (now.isRaced) node.nonce += 1;
        if (now.makesBlock) node.makeBlock();
        await settle();
      }
      now = undefined;
      for (let more = 0; more < 60 && !isDecided; more += 1) {
        await node.clock.advance(1_000);
        node.makeBlock();
        await settle();
      }
      const result = await outcome;
      for (let more = 0; more < 5; more += 1) node.makeBlock();
      const executed = (await client.block(7n)).txs.slice(2).map((bytes) => decodeTransaction(bytes).nonce);
      expect(executed.length).toBeLessThanOrEqual(1);
      if (!(result instanceof Error)) expect(result).toMatchObject({ nonce: executed[0] });
      else expect(result.name).toBe('TimedOut');
    }),
    { numRuns: 100 },
  );
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
  expect(getFees(events)).toEqual(
    new Map([
      ['a', 3n],
      ['b', 5n],
    ]),
  );
});
