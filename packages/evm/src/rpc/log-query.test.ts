import { Input } from '@switchyard/service/input';
import { expect, test } from 'vitest';
import { MAX_LOG_BYTES } from '../chain/logs.ts';
import { TakesLong } from '../simulate/time-budget.ts';
import { DEFAULT_BOUNDS, type RpcBounds } from './deps.ts';
import { findLogs, logFilter, logFilterJson } from './log-query.ts';
import { CONTRACT, log, topic, transfer } from './testing/given.ts';
import { makeHash, memoryChain } from './testing/memory-chain.ts';

/** Blocks 1 to 4 with two logs each: topics (1, n) and (2, n). */
function chain() {
  const made = memoryChain();
  for (const n of [1, 2, 3, 4]) {
    made.commit([{ ...transfer(n), logs: [log(CONTRACT, topic(1), topic(n)), log(CONTRACT, topic(2), topic(n))] }]);
  }
  return made;
}

async function find(filter: object, bounds: Partial<RpcBounds> = {}, now = () => 0): Promise<readonly string[]> {
  const found = findLogs(chain(), logFilter(new Input(filter, '')), { ...DEFAULT_BOUNDS, ...bounds }, { now });
  return found.map(({ block, logIndex }) => `${block}/${logIndex}`);
}

test.each<[string, object, readonly string[]]>([
  ['the latest block, unless another is named', {}, ['4/0', '4/1']],
  ['a range', { fromBlock: '0x1', toBlock: '0x2' }, ['1/0', '1/1', '2/0', '2/1']],
  ['a range up to a tag', { fromBlock: 'earliest', toBlock: 'finalized' }, ['1/0', '1/1', '2/0', '2/1']],
  ['a block by its hash', { blockHash: makeHash(3n) }, ['3/0', '3/1']],
  ['a topic', { fromBlock: '0x0', topics: [topic(2)] }, ['1/1', '2/1', '3/1', '4/1']],
  [
    'any of several topics',
    {
      fromBlock: '0x0',
      topics: [
        [topic(1), topic(2)],
        [topic(1), topic(4)],
      ],
    },
    ['1/0', '1/1', '4/0', '4/1'],
  ],
  ['a topic behind any other', { fromBlock: '0x0', topics: [null, topic(3)] }, ['3/0', '3/1']],
  ['an address', { address: CONTRACT, topics: [topic(1)] }, ['4/0']],
  ['several addresses', { address: [topic(1).slice(0, 42), CONTRACT], topics: [topic(1)] }, ['4/0']],
  ['another address', { address: `0x${'0'.repeat(40)}` }, []],
  ['more topics than a log has', { topics: [null, null, null] }, []],
])('finds logs of %s', async (_, filter, expected) => {
  expect(await find(filter)).toEqual(expected);
});

test.each<[string, object, object]>([
  [
    'a range that goes back',
    { fromBlock: '0x3', toBlock: '0x2' },
    { code: -32_602, message: 'invalid block range params' },
  ],
  ['a range from after the head', { fromBlock: '0x9' }, { code: -32_602, message: 'invalid block range params' }],
  [
    'a range beyond the head',
    { fromBlock: '0x3', toBlock: '0x9' },
    { code: -32_602, message: 'block range extends beyond current head block' },
  ],
  ['what is pending', { toBlock: 'pending' }, { code: -32_602, message: 'pending logs are not supported' }],
  ['a block that is not there', { blockHash: makeHash(9n) }, { code: -32_000, message: 'unknown block' }],
])('refuses %s', async (_, filter, expected) => {
  await expect(find(filter)).rejects.toMatchObject(expected);
});

test('refuses an answer that would be too long, and names a range that is not', async () => {
  const all = { fromBlock: '0x1', toBlock: '0x4' };
  expect(await find(all, { maxLogs: 8 })).toHaveLength(8);
  await expect(find(all, { maxLogs: 7 })).rejects.toMatchObject({
    code: -32_005,
    message: 'query returned more than 7 results. Try with this block range [0x1, 0x3].',
  });
  expect(await find({ ...all, toBlock: '0x3' }, { maxLogs: 7 })).toHaveLength(6);
});

// Defect: Log queries bounded in number and not in bytes
test('refuses logs whose data is too long together, and names a range whose data is not', async () => {
  const long = memoryChain();
  const heavy = { ...log(CONTRACT, topic(1)), data: new Uint8Array(MAX_LOG_BYTES * 0.6) };
  for (const n of [1, 2, 3]) long.commit([{ ...transfer(n), logs: [heavy] }]);
  const search = async (toBlock: string) =>
    findLogs(long, logFilter(new Input({ fromBlock: '0x1', toBlock }, '')), DEFAULT_BOUNDS, { now: () => 0 });
  await expect(search('0x3')).rejects.toMatchObject({
    code: -32_005,
    message: 'query returned more than 16777216 bytes of data. Try with this block range [0x1, 0x1].',
  });
  expect(await search('0x1')).toHaveLength(1);
});

test('refuses a range that is too wide, where there is a bound', async () => {
  const all = { fromBlock: '0x1', toBlock: '0x4' };
  expect(await find(all, { maxBlockRange: 4 })).toHaveLength(8);
  await expect(find(all, { maxBlockRange: 3 })).rejects.toMatchObject({ message: /^exceed maximum block range: 3/ });
});

test('stops when its time is over, or is left to a thread before', async () => {
  const long = memoryChain();
  long.commit(...Array.from({ length: 12_000 }, () => []));
  const filter = logFilter(new Input({ fromBlock: '0x0', address: CONTRACT }, ''));
  // Blocks that take this many milliseconds each.
  const search = (each: number, hereMs?: number) => {
    const before = long.searched;
    const now = () => (long.searched - before) * each;
    const found = () => findLogs(long, filter, { ...DEFAULT_BOUNDS, queryTimeoutMs: 1_000 }, { now, hereMs });
    return { found, searched: () => long.searched - before };
  };
  const fast = search(0.001);
  expect([fast.found(), fast.searched()]).toEqual([[], 12_001]);
  const slow = search(0.1);
  expect(slow.found).toThrow('query timeout exceeded after 1000 ms; ask for fewer blocks at a time');
  expect(slow.searched()).toBe(10_001);
  const moved = search(0.1, 5);
  expect(moved.found).toThrow(TakesLong);
  expect(moved.searched()).toBe(51);
});

test.each([
  {},
  { fromBlock: '0x1', toBlock: 'finalized', address: CONTRACT },
  { blockHash: makeHash(3n), topics: [null, topic(1), [topic(2), topic(3)]] },
])('a filter that is written as JSON selects what it did: %j', (written) => {
  const filter = logFilter(new Input(written, ''));
  expect(logFilter(new Input(JSON.parse(JSON.stringify(logFilterJson(filter))), ''))).toEqual(filter);
});
