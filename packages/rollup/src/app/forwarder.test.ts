import { txHashOf } from '@switchyard/protocol';
import { silentLogger } from '@switchyard/service';
import { manualClock, settle } from '@switchyard/service/testing';
import { afterEach, expect, test } from 'vitest';
import { FakeComposer } from '../testing/fake-composer.ts';
import { until } from '../testing/test-node.ts';
import { type Forwarded, Forwarder } from './forwarder.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function running(composer = new FakeComposer(), bounds = { maxItems: 100, maxBytes: 10_000 }) {
  const clock = manualClock();
  const stopping = new AbortController();
  const found: number[] = [];
  const forwarder = new Forwarder(bounds, {
    collector: composer,
    log: silentLogger,
    clock,
    random: () => 0,
    executedHeight: () => 0n,
    async onFound(pending) {
      let count = 0;
      for await (const piece of pending) count += piece.length;
      found.push(count);
    },
  });
  const work = forwarder.run(stopping.signal);
  const stop = async () => {
    stopping.abort(new Error('over'));
    await work;
  };
  stops.push(stop);
  if (composer.mode === 'up') await until(() => forwarder.ready);
  return { forwarder, composer, clock, found, stop };
}
const forward = (forwarder: Forwarder, data: Uint8Array) =>
  new Promise<Forwarded>((settle) => forwarder.forward(data, settle));
const bytes = (number: number) => Uint8Array.of(number);

test('what arrives together goes in few calls and in order', async () => {
  const { forwarder, composer } = await running();
  const outcomes = await Promise.all([1, 2, 3, 4, 5].map((number) => forward(forwarder, bytes(number))));
  expect(outcomes.map(({ kind }) => kind)).toEqual(Array(5).fill('accepted'));
  expect(composer.queued).toEqual([1, 2, 3, 4, 5].map(bytes));
  expect(composer.calls.length).toBeLessThanOrEqual(2);
});

test('takes nothing until there is a composer, and reads what that one holds before it sends', async () => {
  const composer = new FakeComposer();
  composer.mode = 'down';
  composer.accept(bytes(9));
  const { forwarder, clock, found } = await running(composer);
  expect(await forward(forwarder, bytes(1))).toEqual({ kind: 'unavailable', reason: 'the composer is not reachable' });
  composer.mode = 'up';
  await clock.advance(2_000);
  await until(() => forwarder.ready);
  expect([found, await forward(forwarder, bytes(1))]).toEqual([[1], { kind: 'accepted' }]);
});

test('calls keep a distance, in which more is gathered, but a crowd does not wait', async () => {
  const { forwarder, composer, clock } = await running(new FakeComposer(), { maxItems: 1_000, maxBytes: 10_000 });
  await forward(forwarder, bytes(0));
  const next = [1, 2].map((number) => forward(forwarder, bytes(number)));
  await settle();
  expect(composer.calls.length).toBe(1);
  await clock.advance(10);
  await Promise.all(next);
  expect(composer.calls.length).toBe(2);
  await Promise.all(Array.from({ length: 256 }, (_, number) => forward(forwarder, bytes(number))));
  expect(composer.calls.length).toBe(3);
});

test('a full composer takes nothing, and what waits behind gets the same reason', async () => {
  const { forwarder, composer, clock } = await running();
  composer.mode = 'full';
  const first = forward(forwarder, bytes(1));
  await new Promise(setImmediate);
  const second = forward(forwarder, bytes(2));
  expect(await Promise.all([first, second])).toEqual(
    Array(2).fill({ kind: 'unavailable', reason: 'the composer is full' }),
  );
  composer.mode = 'up';
  await clock.advance(10);
  expect(await forward(forwarder, bytes(1))).toEqual({ kind: 'accepted' });
  expect(composer.queued).toEqual([bytes(1)]);
});

// Defect: an EVM node never handed over its transactions if they were more than its composer had room for
test('more than the composer has room for is taken bit by bit, beside single ones of others', async () => {
  const { forwarder, composer, clock } = await running(new FakeComposer(), { maxItems: 1_000, maxBytes: 10_000 });
  composer.capacity = 16;
  let waiting = Array.from({ length: 150 }, (_, number) => bytes(number));
  for (let height = 1n; height <= 40n && waiting.length > 0; height += 1n) {
    const single = forward(forwarder, Uint8Array.of(1, Number(height)));
    await clock.advance(1_000);
    expect(await single).toEqual({ kind: 'accepted' });
    const outcomes = Promise.all(waiting.map((each) => forward(forwarder, each)));
    await clock.advance(1_000);
    const kinds = (await outcomes).map(({ kind }) => kind);
    waiting = waiting.filter((_, index) => kinds[index] === 'unavailable');
    composer.sequence(height);
  }
  expect(waiting).toEqual([]);
});

test('a composer that is gone is noticed at once and found again', async () => {
  const { forwarder, composer, clock, found } = await running();
  composer.mode = 'down';
  expect(await forward(forwarder, bytes(1))).toMatchObject({ kind: 'unavailable' });
  expect(forwarder.ready).toBe(false);
  composer.mode = 'up';
  await clock.advance(2_000);
  await until(() => forwarder.ready);
  expect(found).toEqual([0, 0]);
});

test('a lost answer is asked for again: nothing lost, nothing twice', async () => {
  const { forwarder, composer, clock } = await running();
  composer.mode = 'lost';
  let outcome: unknown;
  void forward(forwarder, bytes(1)).then((settled) => {
    outcome = settled;
  });
  await until(() => composer.calls.length === 1);
  await clock.advance(3_000);
  expect([outcome, forwarder.ready, composer.calls.length > 1]).toEqual([undefined, false, true]);
  composer.mode = 'down';
  await clock.advance(3_000);
  expect(outcome).toBeUndefined();
  composer.mode = 'up';
  await clock.advance(2_000);
  await until(() => outcome !== undefined);
  expect([outcome, composer.queued, forwarder.ready]).toEqual([{ kind: 'accepted' }, [bytes(1)], true]);
});

test('while an answer is missing nothing else is taken', async () => {
  const { forwarder, composer } = await running();
  composer.mode = 'broken';
  void forward(forwarder, bytes(1));
  await until(() => !forwarder.ready);
  expect(await forward(forwarder, bytes(2))).toMatchObject({ kind: 'unavailable' });
});

test('a stop while an answer is missing reports the outcome as unclear', async () => {
  const { forwarder, composer, stop } = await running();
  composer.mode = 'broken';
  const outcome = forward(forwarder, bytes(1));
  await until(() => !forwarder.ready);
  await stop();
  expect(await outcome).toEqual({ kind: 'unclear', reason: 'the node is stopping' });
});

test('one that the composer refuses does not take the others with it', async () => {
  const { forwarder, composer } = await running();
  composer.refused.set(txHashOf(bytes(2)), 'too large');
  const outcomes = await Promise.all([1, 2, 3].map((number) => forward(forwarder, bytes(number))));
  expect(outcomes).toEqual([{ kind: 'accepted' }, { kind: 'refused', reason: 'too large' }, { kind: 'accepted' }]);
  expect(composer.queued).toEqual([bytes(1), bytes(3)]);
});

test('the queue has a bound on items and one on bytes', async () => {
  const { forwarder } = await running(new FakeComposer(), { maxItems: 2, maxBytes: 100 });
  expect(forwarder.refusal(3, 3)).toMatch(/too many/);
  expect(forwarder.refusal(1, 101)).toMatch(/too many/);
  const outcomes = await Promise.all([1, 2, 3].map((number) => forward(forwarder, bytes(number))));
  expect(outcomes.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'unavailable']);
});
