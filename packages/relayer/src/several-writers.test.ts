import { silentLogger } from '@switchyard/service';
import { expect, test } from 'vitest';
import { severalWriters } from './several-writers.ts';
import { CALM, MemoryLayer } from './testing/layer.ts';

const { signal } = new AbortController();

test('a node that fails is left for the next, and that one for the first', async () => {
  const [one, two] = [new MemoryLayer(), new MemoryLayer()];
  [one.chain, two.chain] = ['one', 'two'];
  const nodes = [one, two].map((layer) => ({ url: `http://${layer.chain}`, writer: layer.writer() }));
  const writer = severalWriters(nodes, silentLogger);
  expect(await writer.chainId(signal)).toBe('one');
  one.mood = { ...CALM, fails: () => 'before' };
  await expect(writer.balance(signal)).rejects.toThrow('the node is away');
  expect(await writer.chainId(signal)).toBe('two');
  one.mood = CALM;
  two.mood = { ...CALM, fails: () => 'after' };
  await expect(writer.balance(signal)).rejects.toThrow('the answer is lost');
  expect(await writer.chainId(signal)).toBe('one');
});

test('a price over the limit is no failure of the node', async () => {
  const [one, two] = [new MemoryLayer(), new MemoryLayer()];
  [one.chain, two.chain, one.price] = ['one', 'two', 11];
  const nodes = [one, two].map((layer) => ({ url: layer.chain, writer: layer.writer() }));
  const writer = severalWriters(nodes, silentLogger);
  await expect(writer.prepare([], signal)).rejects.toThrow('more than the limit');
  expect(await writer.chainId(signal)).toBe('one');
});
