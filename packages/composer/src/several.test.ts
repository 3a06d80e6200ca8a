import { Endpoints } from '@switchyard/client';
import { silentLogger } from '@switchyard/service';
import { expect, test } from 'vitest';
import type { Checked, SequencerNode } from './sequencer.ts';
import { severalSequencers } from './several.ts';
import { SimulatedTime } from './testing/world.ts';

/** Two nodes that say what they are told to say. */
function world() {
  const time = new SimulatedTime();
  const nodes = [1, 2].map(() => ({
    chain: 'c',
    height: 10n,
    checked: { code: 0, log: '' } as Checked,
    isAway: false,
    broadcasts: 0,
  }));
  const clientOf = (node: (typeof nodes)[number]): SequencerNode => {
    const answer = async <T>(value: T): Promise<T> => {
      if (node.isAway) throw new Error('connection refused');
      return value;
    };
    return {
      chainId: () => answer(node.chain),
      height: () => answer(node.height),
      settled: () => answer({ accountNonce: Number(node.height), height: node.height, spenders: new Map() }),
      broadcast: () => {
        node.broadcasts += 1;
        return answer(node.checked);
      },
      balance: () => answer(1n),
      feeRate: () => answer({ base: 1n, perByte: 1n }),
    };
  };
  const all = nodes.map((node, index) => ({ url: `node ${index}`, client: clientOf(node) }));
  const endpoints = new Endpoints(all, { maxLag: 3n, badForMs: 60_000, clock: time, log: silentLogger });
  const sequencer = severalSequencers(endpoints, { chainId: 'c', clock: time });
  const { signal } = new AbortController();
  const nonce = async () => (await sequencer.settled([], signal)).accountNonce;
  const broadcast = async () => (await sequencer.broadcast(new Uint8Array(1), signal)).code;
  const [first, second] = nodes;
  if (first === undefined || second === undefined) throw new Error('there are two nodes');
  return { time, first, second, endpoints, sequencer, signal, nonce, broadcast };
}

test('the one that is furthest is begun with, if the first is far behind', async () => {
  const { first, second, nonce } = world();
  first.height = 3n;
  second.height = 12n;
  expect(await nonce()).toBe(12);
});

test('what a node says that is behind what was seen is not believed', async () => {
  const { first, second, nonce } = world();
  first.height = 20n;
  second.height = 18n;
  expect(await nonce()).toBe(20);
  first.isAway = true;
  await expect(nonce()).rejects.toThrow('connection refused');
  await expect(nonce()).rejects.toThrow('left node 0 for node 1');
  await expect(nonce()).rejects.toThrow('node 1 is at height 18, and 20 was seen');
  second.height = 20n;
  expect(await nonce()).toBe(20);
});

test('a refusal counts only when every node refuses', async () => {
  const { first, second, broadcast } = world();
  first.checked = { code: 19, log: 'an action failed its checks' };
  expect(await broadcast()).toBe(0);
  expect(second.broadcasts).toBe(1);
  second.checked = { code: 21, log: 'invalid' };
  expect(await broadcast()).toBe(19);
});

test('a node that is silent may still hold a transaction, but not for ever', async () => {
  const { time, first, second, broadcast } = world();
  first.checked = { code: 19, log: 'an action failed its checks' };
  expect(await broadcast()).toBe(0);
  second.isAway = true;
  expect(await broadcast()).toBe(11);
  await time.run(time.now() + 61_000);
  expect(await broadcast()).toBe(19);
});

test('a node of another chain is left, and nothing is sent to it', async () => {
  const { first, second, sequencer, signal, broadcast } = world();
  first.chain = 'other';
  await expect(sequencer.chainId(signal)).rejects.toThrow('node 0 runs chain other, expected c');
  await expect(sequencer.chainId(signal)).rejects.toThrow('left node 0 for node 1');
  expect(await sequencer.chainId(signal)).toBe('c');
  expect(await broadcast()).toBe(0);
  expect([first.broadcasts, second.broadcasts]).toEqual([0, 1]);
});

test('where all are of another chain, that is said', async () => {
  const { first, second, sequencer, signal } = world();
  first.chain = second.chain = 'other';
  await expect(sequencer.chainId(signal)).rejects.toThrow('node 0 runs chain other');
  await expect(sequencer.chainId(signal)).rejects.toThrow('left node 0');
  expect(await sequencer.chainId(signal)).toBe('other');
});
