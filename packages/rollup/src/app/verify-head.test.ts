import { createMemoryStore } from '@switchyard/machine';
import { blockHashFromBytes } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { signSpend, tallyRollup } from '../testing/tally.ts';
import { testInput } from '../testing/test-node.ts';
import { RollupChain } from './chain.ts';
import { getBlock, putBlock } from './stored-blocks.ts';
import { commitmentRows } from './tables.ts';
import { headProblem } from './verify-head.ts';

/** A chain of two blocks, and a way to write rows past it. */
async function chainOfTwo() {
  const store = createMemoryStore();
  const chain = await RollupChain.open(tallyRollup(), store);
  expect(headProblem(store.snapshot())).toBeUndefined();
  for (const number of [1, 2]) {
    const data = signSpend({ nonce: number - 1, amount: 1n });
    const { commitments } = chain.view;
    const inputs = [testInput(number, [{ kind: 'sequencedData', data }])];
    await chain.executeBatch(commitments.soft.hash, inputs, { firm: true });
  }
  const change = async (write: (overlay: ReturnType<typeof store.begin>) => void): Promise<string | undefined> => {
    const overlay = store.begin();
    write(overlay);
    await store.commit(store.seal(overlay, (store.head().height ?? 0n) + 1n));
    return headProblem(store.snapshot());
  };
  return { store, change };
}

test('a head that belongs to its hash, its state and the commitments passes', async () => {
  const { store } = await chainOfTwo();
  expect(headProblem(store.snapshot())).toBeUndefined();
});

test('commitments to a block that is not there are found', async () => {
  const { change } = await chainOfTwo();
  const rows = { soft: 3n, firm: 2n, lowestCelestiaSearchHeight: 1n };
  expect(await change((state) => commitmentRows.put(state, rows))).toBe(
    'block 3 is missing, to which the node has committed',
  );
});

test('commitments to an older block than the state is of are found', async () => {
  const { change } = await chainOfTwo();
  const rows = { soft: 1n, firm: 1n, lowestCelestiaSearchHeight: 1n };
  expect(await change((state) => commitmentRows.put(state, rows))).toMatch(/^the state root after block 1 is /);
});

test('a head whose row is of another block is found', async () => {
  const { store, change } = await chainOfTwo();
  const block = getBlock(store.snapshot(), 2n);
  if (block === undefined) throw new Error('no block 2');
  const receiptsHash = blockHashFromBytes(new Uint8Array(32).fill(7));
  expect(await change((state) => putBlock(state, 2n, { ...block, receiptsHash }))).toMatch(/^block 2 has hash /);
});
