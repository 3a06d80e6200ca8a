import { ApiRefused } from '@switchyard/client/http-api';
import { afterEach, expect, test, vi } from 'vitest';
import { Refresher } from './refresher.ts';

/** A refresher whose loads are ended by the test. */
function open() {
  const loads: { resolve: (value: string) => void; reject: (reason: unknown) => void }[] = [];
  const outcomes: PromiseSettledResult<string>[] = [];
  const load = () =>
    new Promise<string>((resolve, reject) => {
      loads.push({ resolve, reject });
    });
  return { refresher: new Refresher(load, (outcome) => outcomes.push(outcome)), loads, outcomes };
}

afterEach(() => void vi.useRealTimers());

const settled = () => new Promise(setImmediate);

// Defect: Pages stayed empty if answers took longer than the next block
test('an answer that is slower than the news is shown, and one more is loaded for all news that came meanwhile', async () => {
  const { refresher, loads, outcomes } = open();
  refresher.refresh();
  for (let news = 0; news < 5; news += 1) refresher.refresh();
  expect(loads).toHaveLength(1);
  loads[0]?.resolve('first');
  await settled();
  expect(outcomes).toEqual([{ status: 'fulfilled', value: 'first' }]);
  expect(loads).toHaveLength(2);
  loads[1]?.resolve('second');
  await settled();
  expect(outcomes).toHaveLength(2);
  expect(loads).toHaveLength(2);
});

test('after a failure it loads again when asked', async () => {
  const { refresher, loads, outcomes } = open();
  refresher.refresh();
  loads[0]?.reject(new Error('away'));
  await settled();
  expect(outcomes).toMatchObject([{ status: 'rejected' }]);
  refresher.refresh();
  expect(loads).toHaveLength(2);
});

test('nothing is shown or loaded after the end', async () => {
  const { refresher, loads, outcomes } = open();
  refresher.refresh();
  refresher.refresh();
  refresher.end();
  loads[0]?.resolve('late');
  await settled();
  expect(outcomes).toEqual([]);
  expect(loads).toHaveLength(1);
});

test.each([
  ['a server that was away', new Error('away'), 2],
  ['one that has too much to do', new ApiRefused(503, 'unavailable', 'later'), 2],
  ['one that refuses', new ApiRefused(404, 'not-found', 'absent'), 1],
])('without news, %s is asked again only if that may help', async (_, reason, count) => {
  vi.useFakeTimers();
  const { refresher, loads } = open();
  refresher.refresh();
  loads[0]?.reject(reason);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(loads).toHaveLength(count);
  refresher.end();
});

test('an answer with a problem is asked for again until it is whole', async () => {
  vi.useFakeTimers();
  const answers = [{ problem: 'the node does not answer' }, { problem: null }];
  const shown: unknown[] = [];
  const refresher = new Refresher(
    () => Promise.resolve(answers.shift()),
    (outcome) => shown.push(outcome.status === 'fulfilled' ? outcome.value : 'no more are asked for'),
  );
  refresher.refresh();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(shown).toEqual([{ problem: 'the node does not answer' }, { problem: null }]);
});
