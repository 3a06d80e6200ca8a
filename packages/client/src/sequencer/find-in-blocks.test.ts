import { txHashOf } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { type BlockReader, findInBlocks } from './find-in-blocks.ts';

const TX = Uint8Array.of(1, 2, 3);
const OTHER = Uint8Array.of(4);
const executed = { code: 0, log: '', events: [] };

function chain(blocks: Record<string, readonly Uint8Array[]>) {
  const read: string[] = [];
  const reader: BlockReader = {
    async block(height) {
      read.push(`block ${height}`);
      return { txs: blocks[String(height)] ?? [] };
    },
    async blockResults(height) {
      read.push(`results ${height}`);
      return [executed, { ...executed, code: 7, log: 'no' }];
    },
  };
  return { reader, read };
}

test('finds a transaction with its place and its result, and reads no further', async () => {
  const { reader, read } = chain({ 5: [OTHER], 6: [TX, OTHER], 7: [TX] });
  const place = { hash: txHashOf(TX), height: 6n, index: 0 };
  expect(await findInBlocks(reader, txHashOf(TX), { from: 5n, to: 9n })).toEqual({ ...place, ...executed });
  expect(read).toEqual(['block 5', 'block 6', 'results 6']);
});

test('a copy that failed is found where none was executed behind it', async () => {
  const { reader } = chain({ 6: [OTHER, TX], 7: [OTHER, TX], 8: [TX] });
  const find = (to: bigint) => findInBlocks(reader, txHashOf(TX), { from: 5n, to });
  expect(await find(7n)).toMatchObject({ height: 6n, index: 1, code: 7, log: 'no' });
  expect(await find(8n)).toMatchObject({ height: 8n, index: 0, code: 0 });
});

test('finds nothing outside of the range, nor in an empty one', async () => {
  const { reader, read } = chain({ 6: [TX] });
  expect(await findInBlocks(reader, txHashOf(TX), { from: 7n, to: 8n })).toBeUndefined();
  expect(await findInBlocks(reader, txHashOf(TX), { from: 7n, to: 6n })).toBeUndefined();
  expect(read).toEqual(['block 7', 'block 8']);
});

test('a block without the result of its transaction is an error', async () => {
  const { reader } = chain({ 1: [OTHER, OTHER, TX] });
  await expect(findInBlocks(reader, txHashOf(TX), { from: 1n, to: 1n })).rejects.toThrow(/^the node has no result/);
});
