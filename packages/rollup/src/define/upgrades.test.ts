import { createMemoryStore } from '@switchyard/machine';
import { InvalidConfig } from '@switchyard/service';
import { Input } from '@switchyard/service/input';
import { afterEach, expect, test } from 'vitest';
import { text, u32 } from '../schema/scalars.ts';
import { signers } from '../testing/tally.ts';
import { testRollup } from '../testing/test-rollup.ts';
import { contractFrom } from './contract-from.ts';
import { action, defineRollup, query } from './definition.ts';
import { single } from './table.ts';
import { signTransaction } from './transaction.ts';

const [alice] = signers;
const GENESIS = JSON.stringify({
  ...{ rollup_name: 'sum', chain_id: 'sum', sequencer_chain_id: 'sequencer-0', canonical_transactions: true },
});
const accepted = { until: 'accepted' } as const;
const sum = single({ name: 'sum', value: u32, absent: 0 });
const add = action({ fields: { by: u32 }, execute: ({ by }, { state }) => sum.put(state, sum.get(state) + by) });
const queries = { sum: query({ answer: { sum: u32 }, handle: (_, { state }) => ({ sum: sum.get(state) }) }) };
const common = { name: 'sum', tables: [sum], queries } as const;

/** The first program of the chain. */
const first = defineRollup({ ...common, actions: { add } });

/** A later one, which has another action from a block on, and doubles the sum at a block. */
const later = (from = 4n, at = 5n) =>
  defineRollup({
    ...common,
    actions: {
      add,
      note: action({
        from,
        fields: { words: text({ maxBytes: 4_000 }) },
        execute: ({ words }, { state }) => sum.put(state, sum.get(state) + words.length),
      }),
    },
    migrations: [{ at, run: (state) => sum.put(state, 2 * sum.get(state)) }],
  });

const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});
async function started(defined: ReturnType<typeof later> | typeof first, store = createMemoryStore()) {
  const node = await testRollup(defined as ReturnType<typeof later>, GENESIS, { store });
  stopping.push(() => node.stop());
  return node;
}
const computeSum = async (node: Awaited<ReturnType<typeof started>>) => (await node.client.query.sum()).sum;
const note = (words: string, nonce: number) =>
  signTransaction(later(), { nonce, chainId: 'sum', actions: [{ kind: 'note', words }] }, alice);

test('an action and a migration begin at their blocks, for a chain that runs already', async () => {
  const store = createMemoryStore();
  const old = await started(first, store);
  await old.client.submit.add({ by: 3 }, alice, accepted);
  await old.block();
  await old.stop();

  const node = await started(later(), store);
  await expect(node.client.submit.note({ words: 'early' }, alice, accepted)).rejects.toThrow(
    'got a part that begins at block 4',
  );
  await node.block();
  await node.block();
  expect(await computeSum(node)).toBe(3);
  // The next block is the fourth.
  await node.client.submit.note({ words: 'four' }, alice, accepted);
  await node.block();
  expect(await computeSum(node)).toBe(7);
  await node.block();
  expect(await computeSum(node)).toBe(14);
});

test('before its block an action is no transaction, by the same receipts as in the program that did not know it', async () => {
  const old = await started(first);
  const node = await started(later());
  for (const words of ['early', 'x'.repeat(4_000)]) {
    const data = [await note(words, 0)];
    await Promise.all([old.block({ data }), node.block({ data })]);
    expect(node.chain.view.block).toEqual(old.chain.view.block);
    expect(node.chain.view.block).toMatchObject({ executed: 0, refused: 1 });
  }
});

test('clients and data stay what they are: neither belongs to the fingerprint', async () => {
  expect([later().fingerprint, later().typeUrl]).toEqual([first.fingerprint, first.typeUrl]);
  const document = { ...later().document, fingerprint: first.fingerprint };
  const read = contractFrom(new Input(JSON.parse(JSON.stringify(document)), 'definition'));
  expect([...read.fields.keys()]).toEqual(['add', 'note']);
  const node = await started(later(1n, 9n));
  const signed = await signTransaction(first, { nonce: 0, chainId: 'sum', actions: [{ kind: 'add', by: 5 }] }, alice);
  await node.block({ data: [signed] });
  expect(await computeSum(node)).toBe(5);
});

test.each([
  [
    'an action of a block that is executed',
    later(2n, 9n),
    'the definition: expected that of the stored blocks, the last of which is 3, got action note is new from block 2 on, but',
  ],
  [
    'a migration of a block that is executed',
    later(9n, 3n),
    'got migration at block 3 is new from block 3 on, but blocks up to 3 are executed',
  ],
])('%s is refused at start', async (_, defined, message) => {
  const store = createMemoryStore();
  const old = await started(first, store);
  for (let block = 0; block < 3; block += 1) await old.block();
  await old.stop();
  await expect(started(defined, store)).rejects.toThrow(message);
});

test.each([
  ['the program before it', first, 'got action note is no more; migration at block 5 is no more; put it back'],
  ['another block', later(6n), 'got action note begins at block 6, but it began at 4'],
])('once a rule has begun it stays: %s is refused at start', async (_, defined, message) => {
  const store = createMemoryStore();
  const node = await started(later(), store);
  for (let block = 0; block < 5; block += 1) await node.block();
  await node.stop();
  await expect(started(defined, store)).rejects.toThrow(InvalidConfig);
  await expect(started(defined, store)).rejects.toThrow(message);
});

test('a migration that throws stops the node before it commits, with its name', async () => {
  const broken = defineRollup({
    ...common,
    actions: { add },
    migrations: [
      {
        at: 1n,
        run() {
          throw new Error('no such row');
        },
      },
    ],
  });
  const node = await testRollup(broken, GENESIS);
  stopping.push(() => node.stop());
  await expect(node.block()).rejects.toThrow(/block 1 cannot be executed: migration at block 1.*no such row/s);
  expect(node.chain.view.soft).toBe(0n);
});

test.each([
  ['an action from block 0', { add, note: { ...add, from: 0n } }, 'action "note": from: expected a block from 1 on'],
  ['actions out of order', { add, a: { ...add, from: 9n }, b: { ...add, from: 8n } }, 'action "b" has to stand before'],
  ['no action from the beginning', { a: { ...add, from: 9n } }, 'expected at least one from the beginning'],
])('%s cannot be defined', (_, actions, message) => {
  expect(() => defineRollup({ ...common, actions })).toThrow(message);
});

test.each([
  ['two of one block', [3n, 3n], 'expected one for each block'],
  ['block 0', [0n], 'expected a block from 1 on, got 0'],
])('migrations at %s cannot be defined', (_, blocks, message) => {
  const migrations = blocks.map((at) => ({ at, run: () => undefined }));
  expect(() => defineRollup({ ...common, actions: { add }, migrations })).toThrow(message);
});
