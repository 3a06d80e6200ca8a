import { Endpoints } from '@switchyard/client';
import { silentLogger } from '@switchyard/service';
import { expect, test } from 'vitest';
import { createComposer } from '../composer.ts';
import { createJournal } from '../queue/journal.ts';
import { CHAT, payer } from '../testing/builders.ts';
import { ModelChain, ModelSequencer, REFUSED_ON_ARRIVAL } from '../testing/model-sequencer.ts';
import { SignedHeaders } from '../testing/signed-headers.ts';
import { getHash } from '../testing/simulation.ts';
import { SimulatedDisk, SimulatedTime } from '../testing/world.ts';
import { severalSequencers } from './failover.ts';
import type { Checked, SequencerNode } from './sequencer.ts';

const headers = new SignedHeaders('c');

/** Two nodes with scripted answers. */
function world() {
  const time = new SimulatedTime();
  const nodes = [1, 2].map(() => ({
    chain: 'c',
    height: 10n,
    /** Height of its newest block. */
    real: 1_000n,
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
      commit: (height) =>
        height > node.real ? Promise.reject(new Error(`no block ${height}`)) : answer(headers.at(height)),
      validators: () => answer(headers.validators),
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

test('answers of a node behind the newest proved height are not used', async () => {
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

// Defect: Composer halted by one false height
test('an unproved height does not make other nodes count as behind, neither at the start nor later', async () => {
  const { first, second, nonce: ask, time } = world();
  const nonce = async () => {
    const wanted = ask();
    wanted.catch(() => undefined);
    await time.run(time.now() + 1_500);
    return wanted;
  };
  first.real = second.real = 10n;
  second.height = 9_000_000n;
  expect(await nonce()).toBe(10);
  second.height = 10n;
  first.height = 9_000_000n;
  await expect(nonce()).rejects.toThrow('no block 9000000');
  await expect(nonce()).rejects.toThrow('left node 0 for node 1');
  expect(await nonce()).toBe(10);
  first.height = first.real = second.real = 11n;
  second.isAway = true;
  await expect(nonce()).rejects.toThrow('connection refused');
  await time.run(time.now() + 20_000);
  await expect(nonce()).rejects.toThrow('left node 1 for node 0');
  expect(await nonce()).toBe(11);
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

test('endpoints that are all of another chain are reported', async () => {
  const { first, second, sequencer, signal } = world();
  first.chain = second.chain = 'other';
  await expect(sequencer.chainId(signal)).rejects.toThrow('node 0 runs chain other');
  await expect(sequencer.chainId(signal)).rejects.toThrow('left node 0');
  expect(await sequencer.chainId(signal)).toBe('other');
});

test('what one node holds is not refused because another would, while the first cannot be asked', async () => {
  const time = new SimulatedTime();
  const ownHeaders = new SignedHeaders(payer.chainId);
  const chain = new ModelChain();
  const nodes = [new ModelSequencer(() => time.now(), chain), new ModelSequencer(() => time.now(), chain)] as const;
  nodes[0].isStrict = false;
  const clientOf = (node: ModelSequencer): SequencerNode => {
    const later = <T>(answer: () => T): Promise<T> =>
      new Promise((resolve, reject) => {
        time.after(1, () => (node.isAway ? reject(new Error('connection refused')) : resolve(answer())));
      });
    return {
      chainId: () => later(() => payer.chainId),
      height: () => later(() => node.height),
      commit: (height) => later(() => ownHeaders.at(height)),
      validators: () => later(() => ownHeaders.validators),
      settled: (bundles) =>
        later(() => {
          const hashes = new Set(bundles.flatMap(({ candidates }) => candidates.map(({ hash }) => hash)));
          const nonces = bundles.map(({ nonce }) => nonce);
          return node.settled(nonces, (_, hash) => hashes.has(hash));
        }),
      broadcast: (transaction) => later(() => node.broadcast(transaction)),
      balance: () => later(() => 1_000_000n),
      feeRate: () => later(() => ({ base: 1n, perByte: 1n })),
    };
  };
  const all = nodes.map((node, index) => ({ url: `node ${index}`, client: clientOf(node) }));
  const endpoints = new Endpoints(all, { maxLag: 3n, badForMs: 60_000, clock: time, log: silentLogger });
  const failures: unknown[] = [];
  const limits = { maxBytesPerBundle: 1_000, intervalMs: 10, maxInFlight: 4 };
  const room = { maxItems: 100, maxBytes: 10_000, maxItemBytes: 500, keptOutcomes: 100, copiesWindowMs: 60_000 };
  const starting = createComposer(
    { ...limits, ...room },
    {
      journal: createJournal(new SimulatedDisk(time, () => 0.5).open()),
      sequencer: severalSequencers(endpoints, { chainId: payer.chainId, clock: time }),
      payer,
      log: silentLogger,
      clock: time,
      random: () => 0.5,
      onFailure: (error) => failures.push(error),
    },
  );
  const pass = (ms: number) => time.run(time.now() + ms);
  await pass(10);
  const { intake, backlog, outcomes, submitter } = await starting;
  const stop = new AbortController();
  const running = submitter.run(stop.signal);
  await pass(100);
  const accepted = intake.accept(CHAT, [Uint8Array.of(REFUSED_ON_ARRIVAL, 1)]);
  await pass(100);
  await accepted;
  // The first one has it in its mempool, and is out of reach; the second refuses such things.
  nodes[0].isAway = true;
  await pass(5_000);
  expect([backlog.count, submitter.inFlight.length]).toEqual([1, 1]);
  nodes[0].isAway = false;
  nodes[0].makeBlock(1);
  nodes[1].follow();
  await pass(5_000);
  expect([backlog.count, chain.ordered.length, failures]).toEqual([0, 1, []]);
  // The hash of data is looked up as text here.
  expect(outcomes.find(CHAT, getHash(chain.ordered[0]?.data ?? '') as never)).toMatchObject({ kind: 'sequenced' });
  stop.abort(new Error('over'));
  await pass(100);
  await running;
});
