import type { Data } from '@switchyard/evm-machine/types';
import { Input } from '@switchyard/service/input';
import { expect, test } from 'vitest';
import { Filters } from './filters.ts';
import { logFilter } from './log-query.ts';
import { CONTRACT, log, pendingTransfer, topic, transfer } from './testing/given.ts';
import { makeHash, memoryChain } from './testing/memory-chain.ts';
import { memoryPool } from './testing/memory-pool.ts';

const IDLE_MS = 1_000;

function world({ maxFilters = 10, maxFilterTerms = 10, maxLogs = 100 } = {}) {
  const chain = memoryChain();
  const pool = memoryPool();
  let now = 0;
  let made = 0;
  const newId = (): Data => {
    made += 1;
    return `0x${made.toString(16).padStart(2, '0')}`;
  };
  const bounds = { maxFilters, maxFilterTerms, maxLogs, filterIdleMs: IDLE_MS };
  const filters = new Filters({ chain, pool, now: () => now, newId, bounds });
  const wait = (ms: number): void => {
    now += ms;
  };
  return { chain, pool, filters, wait };
}

const withLogs = (nonce: number, ...topics: readonly number[]) => ({
  ...transfer(nonce),
  logs: topics.map((each) => log(CONTRACT, topic(each))),
});

test('a filter for blocks tells each block once, from its own beginning on', () => {
  const { chain, filters } = world();
  chain.commit([]);
  const id = filters.newBlocks('a');
  expect(filters.changes(id)).toEqual([]);
  chain.commit([], []);
  expect(filters.changes(id)).toEqual([makeHash(2n), makeHash(3n)]);
  expect(filters.changes(id)).toEqual([]);
});

test('a filter for logs tells each log once, within its range', () => {
  const { chain, filters } = world();
  chain.commit([withLogs(0, 1)]);
  const all = filters.newLogs('a', logFilter(new Input({ topics: [[topic(1), topic(2)]] }, '')));
  const ranged = filters.newLogs('a', logFilter(new Input({ fromBlock: '0x3', toBlock: '0x3' }, '')));
  chain.commit([withLogs(1, 1, 3)], [withLogs(2, 2)], [withLogs(3, 2)]);
  expect(filters.changes(all)).toMatchObject([{ blockNumber: '0x2' }, { blockNumber: '0x3' }, { blockNumber: '0x4' }]);
  expect(filters.changes(ranged)).toMatchObject([{ blockNumber: '0x3' }]);
  expect(filters.changes(all)).toEqual([]);
  expect(filters.logFilter(all)).toMatchObject({ topics: [[topic(1), topic(2)]] });
});

test('more logs than one answer holds come with the next ones, whole blocks at a time', () => {
  const { chain, filters } = world({ maxLogs: 3 });
  const id = filters.newLogs('a', logFilter(new Input({}, '')));
  chain.commit([withLogs(0, 1, 1)], [withLogs(1, 2, 2)], [withLogs(2, 3, 3, 3, 3)], [withLogs(3, 4)]);
  const seen = [1, 2, 3, 4, 5].map(() => filters.changes(id).length);
  expect(seen).toEqual([2, 2, 4, 1, 0]);
});

test('a filter for pending transactions tells hashes, or all of them', () => {
  const { pool, filters } = world();
  pool.add(pendingTransfer(0));
  const hashes = filters.newPending('a', false);
  const whole = filters.newPending('a', true);
  pool.add(pendingTransfer(1), pendingTransfer(2));
  expect(filters.changes(hashes)).toEqual([transfer(1).hash, transfer(2).hash]);
  expect(filters.changes(whole)).toMatchObject([{ nonce: '0x1', blockHash: null }, { nonce: '0x2' }]);
  expect([filters.changes(hashes), filters.changes(whole)]).toEqual([[], []]);
});

test('a filter that is not polled is removed, and collects nothing meanwhile', () => {
  const { filters, wait } = world();
  const kept = filters.newBlocks('a');
  const left = filters.newBlocks('a');
  wait(IDLE_MS - 1);
  filters.changes(kept);
  wait(1);
  expect(() => filters.changes(left)).toThrow('filter not found');
  expect(filters.changes(kept)).toEqual([]);
  wait(IDLE_MS);
  filters.newBlocks('a');
  expect(filters.size).toBe(1);
});

test('when an address has too many, the one that it asked for longest ago goes', () => {
  const { filters, wait } = world({ maxFilters: 4 });
  const first = filters.newBlocks('a');
  wait(1);
  const second = filters.newBlocks('a');
  wait(1);
  filters.changes(first);
  const third = filters.newBlocks('a');
  expect(() => filters.changes(second)).toThrow('filter not found');
  expect([filters.changes(first), filters.changes(third)]).toEqual([[], []]);
  expect(filters.size).toBe(2);
});

test('when those of an address name too much, the one that it asked for longest ago goes', () => {
  const { filters, wait } = world({ maxFilterTerms: 8 });
  const naming = (...topics: readonly number[]) =>
    filters.newLogs('a', logFilter(new Input({ address: CONTRACT, topics: [topics.map(topic)] }, '')));
  const first = naming(1, 2);
  wait(1);
  const second = naming(3);
  expect([filters.changes(first), filters.changes(second)]).toEqual([[], []]);
  naming(4);
  expect(() => filters.changes(first)).toThrow('filter not found');
  naming(5);
  expect(() => filters.changes(second)).toThrow('filter not found');
  expect(filters.size).toBe(2);
});

// Defect: EVM: filters of one address removed those of others
test('an address with thousands of filters takes none from others, and leaves room for theirs', () => {
  const { filters } = world({ maxFilters: 8 });
  const honest = filters.newBlocks('honest');
  for (let count = 0; count < 1_000; count += 1) filters.newBlocks('flood');
  expect(filters.size).toBeLessThan(8);
  expect(filters.changes(honest)).toEqual([]);
  expect(filters.changes(filters.newBlocks('another'))).toEqual([]);
});

test('one that names more than is left is refused', () => {
  const { filters } = world({ maxFilterTerms: 5 });
  const naming = (...topics: readonly number[]) => logFilter(new Input({ topics: [topics.map(topic)] }, ''));
  filters.newLogs('a', naming(1, 2));
  expect(() => filters.newLogs('b', naming(1, 2, 3, 4))).toThrow('too many');
});

test('one that is uninstalled is gone, and only once', () => {
  const { filters } = world();
  const id = filters.newBlocks('a');
  expect([filters.remove(id), filters.remove(id)]).toEqual([true, false]);
  expect(() => filters.changes(id)).toThrow(expect.objectContaining({ code: -32_000 }));
  expect(() => filters.logFilter(filters.newBlocks('a'))).toThrow('filter not found');
});
