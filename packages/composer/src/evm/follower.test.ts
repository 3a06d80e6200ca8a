import { rollupIdFromName, type TxHash, txHashOf } from '@switchyard/protocol';
import { systemClock } from '@switchyard/service';
import { eventually, memoryLogger } from '@switchyard/service/testing';
import { afterEach, expect, test } from 'vitest';
import { Full, Intake } from '../intake/intake.ts';
import { Backlog } from '../queue/backlog.ts';
import { ONLY_QUEUED } from '../queue/copies.ts';
import { createJournal } from '../queue/journal.ts';
import { Outcomes } from '../queue/outcomes.ts';
import { SimulatedDisk, SimulatedTime } from '../testing/world.ts';
import { Follower, type FollowerDeps } from './follower.ts';
import { ScriptedNode } from './testing/scripted-node.ts';
import { toBytes, vector } from './testing/vectors.ts';

const ROLLUP = rollupIdFromName('evm');
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function node(port?: number): Promise<ScriptedNode> {
  const made = await ScriptedNode.start(port);
  closers.push(() => made.stop());
  return made;
}

/** A composer's intake, with everything in it remembered in order. */
function queue() {
  const accepted: Uint8Array[] = [];
  const known = new Map<TxHash, 'waiting' | 'sequenced' | 'refused'>();
  const state = { full: false, longest: 1_000 };
  const intake: FollowerDeps['intake'] = {
    refusal: ({ length }) => (length > state.longest ? `the data has ${length} bytes` : undefined),
    async accept(rollup, data, copies) {
      expect([rollup, copies]).toEqual([ROLLUP, ONLY_QUEUED]);
      if (state.full) throw new Full('the queue holds 2 of 2 submissions');
      for (const bytes of data) {
        accepted.push(bytes);
        known.set(txHashOf(bytes), 'waiting');
      }
    },
  };
  const backlog: FollowerDeps['backlog'] = { find: (_, hash) => (known.get(hash) === 'waiting' ? 1 : undefined) };
  const outcomes: FollowerDeps['outcomes'] = {
    find: (_, hash) => {
      const kind = known.get(hash);
      if (kind === 'refused') return { kind, reason: 'no' };
      return kind === 'sequenced' ? { kind, height: 1n, transaction: hash } : undefined;
    },
  };
  return { accepted, known, state, intake, backlog, outcomes };
}

function follow(url: string, parts = queue(), more: Partial<FollowerDeps> = {}) {
  const { log, lines } = memoryLogger();
  const stop = new AbortController();
  const random = () => 0;
  const deps = { ...parts, log, clock: systemClock, random, listEveryMs: 20, ...more };
  const follower = new Follower({ name: 'evm', url }, deps);
  const done = follower.run(stop.signal);
  const end = async () => {
    stop.abort(new Error('over'));
    await done;
  };
  closers.push(end);
  const got = (count: number) => eventually(() => parts.accepted.length >= count && parts.accepted);
  return { ...parts, follower, lines, end, got };
}

const makePending = (...which: readonly number[]) => ({
  [vector(0).object.from]: Object.fromEntries(which.map((index) => [String(index), vector(index).object])),
});

test('what the node listed before, and what it announces after, is submitted once and in order', async () => {
  const evm = await node();
  evm.pending = makePending(2, 0, 1);
  const { got, follower } = follow(evm.url);
  await got(3);
  evm.announce(vector(1).object);
  evm.announce(vector(3).object);
  expect(await got(4)).toEqual([0, 1, 2, 3].map((index) => toBytes(vector(index))));
  evm.announce(vector(3).object);
  const calls = evm.calls.length;
  await eventually(() => evm.calls.length > calls + 4);
  expect(follower.status()).toEqual({
    ...{ rollup: 'evm', url: evm.url, connected: true, trouble: undefined, waiting: 0 },
    ...{ received: 6, submitted: 4, known: 0, unusable: 0 },
  });
  expect(evm.calls.slice(0, 2)).toEqual(['eth_subscribe', 'txpool_content']);
});

test('what is announced while the list is read comes after what is listed', async () => {
  const evm = await node();
  const list = evm.handlers.txpool_content;
  evm.handlers.txpool_content = (params, socket) => {
    evm.announce(vector(1).object);
    return list?.(params, socket) ?? 'nothing';
  };
  evm.pending = makePending(0);
  const { got } = follow(evm.url);
  expect(await got(2)).toEqual([0, 1].map((index) => toBytes(vector(index))));
});

test('a node that went away is found again, and what came meanwhile is not missed', async () => {
  const evm = await node();
  const { got, follower, lines } = follow(evm.url);
  await eventually(() => follower.status().connected);
  const { port } = evm;
  await evm.stop();
  await eventually(() => !follower.status().connected && follower.status().trouble?.includes('ECONNREFUSED'));
  const again = await node(port);
  again.pending = makePending(0);
  expect(await got(1)).toEqual([toBytes(vector(0))]);
  again.announce(vector(1).object);
  expect(await got(2)).toHaveLength(2);
  const warnings = lines.filter(({ msg }) => String(msg).startsWith('cannot follow EVM node'));
  expect(warnings).toHaveLength(1);
});

test('a composer that restarts knows what it had, and takes the rest', async () => {
  const evm = await node();
  const parts = queue();
  evm.pending = makePending(0, 1);
  const first = follow(evm.url, parts);
  await first.got(2);
  await first.end();
  parts.known.set(txHashOf(toBytes(vector(0))), 'sequenced');
  evm.pending = makePending(0, 1, 2);
  const second = follow(evm.url, parts);
  await second.got(3);
  expect(parts.accepted.map((bytes) => txHashOf(bytes))).toEqual(
    [0, 1, 2].map((index) => txHashOf(toBytes(vector(index)))),
  );
  expect(second.follower.status()).toMatchObject({ submitted: 1, known: 2 });
});

test('a node that announces hashes is asked for the bytes', async () => {
  const evm = await node();
  evm.handlers.eth_subscribe = ([, full]) =>
    full === undefined ? { result: '0x1' } : { error: { code: -32_602, message: 'too many arguments' } };
  evm.handlers.eth_getRawTransactionByHash = ([hash]) => ({
    result: [0, 1].map(vector).find(({ object }) => object.hash === hash)?.raw ?? null,
  });
  evm.handlers.eth_getTransactionByHash = ([hash]) => ({
    result: hash === vector(2).object.hash ? vector(2).object : null,
  });
  const { got, follower } = follow(evm.url);
  await eventually(() => follower.status().trouble === undefined);
  for (const index of [0, 1, 2, 3]) evm.announce(vector(index).object.hash);
  expect(await got(3)).toEqual([0, 1, 2].map((index) => toBytes(vector(index))));
});

test('an object that is not understood is had as bytes, and one of no use is left', async () => {
  const evm = await node();
  evm.handlers.eth_getRawTransactionByHash = ([hash]) => ({
    result: hash === vector(0).object.hash ? vector(0).raw : '0x02aa',
  });
  const { got, follower } = follow(evm.url);
  await eventually(() => follower.status().trouble === undefined);
  evm.announce({ ...vector(0).object, type: '0x7f' });
  evm.announce({ ...vector(1).object, type: '0x7f' });
  evm.announce({ ...vector(2).object, type: '0x3' });
  evm.announce({ nothing: 'of use' });
  evm.announce(vector(3).object);
  expect(await got(2)).toEqual([0, 3].map((index) => toBytes(vector(index))));
  await eventually(() => follower.status().unusable === 3);
});

test('a full queue is waited for and logged', async () => {
  const evm = await node();
  const parts = queue();
  parts.state.full = true;
  const { got, follower } = follow(evm.url, parts);
  await eventually(() => follower.status().trouble === undefined);
  evm.announce(vector(0).object);
  await eventually(() => follower.status().trouble === 'the queue holds 2 of 2 submissions');
  evm.announce(vector(1).object);
  parts.state.full = false;
  expect(await got(2)).toEqual([0, 1].map((index) => toBytes(vector(index))));
  expect(follower.status().trouble).toBeUndefined();
});

test('what no bundle can hold is counted, not sent', async () => {
  const evm = await node();
  const parts = queue();
  parts.state.longest = 120;
  const { got, follower } = follow(evm.url, parts);
  await eventually(() => follower.status().trouble === undefined);
  evm.announce(vector(1).object);
  evm.announce(vector(0).object);
  expect(await got(1)).toEqual([toBytes(vector(0))]);
  expect(follower.status().unusable).toBe(1);
});

test('a node that lists nothing is followed all the same', async () => {
  const evm = await node();
  delete evm.handlers.txpool_content;
  const { got, follower, lines } = follow(evm.url);
  await eventually(() => evm.calls.includes('txpool_content'));
  evm.announce(vector(0).object);
  expect(await got(1)).toHaveLength(1);
  expect(follower.status().connected).toBe(true);
  expect(lines.filter(({ msg }) => String(msg).includes('does not list'))).toHaveLength(1);
});

test.each<[string, (evm: ScriptedNode) => void]>([
  ['text that is not JSON', (evm) => evm.send('{"jsonrpc":')],
  ['more than a message may hold', (evm) => evm.send(JSON.stringify('x'.repeat(3_000_000)))],
  ['an end in the middle', (evm) => evm.cut()],
])('%s ends the connection, and another one is made', async (_, fault) => {
  const evm = await node();
  const { got, follower } = follow(evm.url, queue(), { socket: { maxMessageBytes: 2_000_000 } });
  await eventually(() => follower.status().trouble === undefined);
  fault(evm);
  await eventually(() => evm.calls.filter((method) => method === 'eth_subscribe').length === 2);
  evm.pending = makePending(0);
  expect(await got(1)).toHaveLength(1);
});

test('a node that does not answer any more is left, and so is one that shows no sign of life', async () => {
  const silent = await node();
  silent.handlers.txpool_content = () => 'nothing';
  const first = follow(silent.url, queue(), { socket: { answerMs: 30 } });
  await eventually(() => first.follower.status().trouble?.includes('txpool_content was not answered'));
  const deaf = await ScriptedNode.start(0, { autoPong: false });
  closers.push(() => deaf.stop());
  const second = follow(deaf.url, queue(), { socket: { aliveMs: 30 }, listEveryMs: 60_000 });
  await eventually(() => second.follower.status().trouble?.includes('no sign of life'));
});

test('what a block of the rollup skipped is submitted again while the node still lists it', async () => {
  const evm = await node();
  const parts = queue();
  let now = 0;
  const clock = { ...systemClock, now: () => now };
  evm.pending = makePending(0);
  const { got } = follow(evm.url, parts, { clock });
  await got(1);
  parts.known.set(txHashOf(toBytes(vector(0))), 'sequenced');
  const listings = () => evm.calls.filter((method) => method === 'eth_blockNumber').length;
  const before = listings();
  await eventually(() => listings() > before + 2);
  expect(parts.accepted).toHaveLength(1);
  now = 61_000;
  evm.blockNumber = 20n;
  expect(await got(2)).toEqual([toBytes(vector(0)), toBytes(vector(0))]);
});

test('the real intake takes what a node shows, and keeps it over a restart', async () => {
  const evm = await node();
  evm.pending = makePending(0, 1);
  const time = new SimulatedTime();
  const disk = new SimulatedDisk(time, () => 0);
  const open = () => {
    const journal = createJournal(disk.open());
    const backlog = new Backlog();
    for (const { chunk, done } of journal.recover().chunks) backlog.restore(chunk, done);
    const outcomes = new Outcomes({ maxItems: 10, clock: time, wall: time });
    const bounds = { maxItemBytes: 1_000, maxItems: 10, maxBytes: 10_000, copiesWindowMs: 60_000 };
    const groupProblem = (): undefined => undefined;
    const intake = new Intake(
      { ...bounds, groupProblem },
      {
        backlog,
        outcomes,
        journal,
        onWaiting: () => undefined,
        onFailure: () => undefined,
      },
    );
    return { backlog, intake, outcomes };
  };
  const first = open();
  const following = follow(evm.url, { ...queue(), ...first });
  await eventually(async () => {
    await time.run(time.now() + 10);
    return first.intake.accepted === 2;
  });
  await following.end();
  const second = open();
  evm.pending = makePending(0, 1, 2);
  follow(evm.url, { ...queue(), ...second });
  await eventually(async () => {
    await time.run(time.now() + 10);
    return second.intake.accepted === 1;
  });
  expect([...second.backlog.ofRollup(ROLLUP)]).toEqual([0, 1, 2].map((index) => toBytes(vector(index))));
});
