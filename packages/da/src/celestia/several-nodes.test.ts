import { silentLogger } from '@switchyard/service';
import { expect, test } from 'vitest';
import { DaTooExpensive, DaUnavailable } from '../layer.ts';
import { severalNodes } from './several-nodes.ts';

const { signal } = new AbortController();
const callsTo = (...urls: readonly string[]) =>
  severalNodes(
    urls.map((url) => ({ url })),
    silentLogger,
  );

test('a node that fails is left for the next, and that one for the first', async () => {
  const call = callsTo('one', 'two');
  const fail = () => Promise.reject(new DaUnavailable('the node is away'));
  const used = () => call(async ({ url }) => url, signal);
  expect(await used()).toBe('one');
  await expect(call(fail, signal)).rejects.toThrow('the node is away');
  expect(await used()).toBe('two');
  await expect(call(fail, signal)).rejects.toThrow('the node is away');
  expect(await used()).toBe('one');
});

test('neither a price over the limit nor a call that is given up is a failure of the node', async () => {
  const call = callsTo('one', 'two');
  const used = () => call(async ({ url }) => url, signal);
  await expect(call(() => Promise.reject(new DaTooExpensive('11', '10')), signal)).rejects.toThrow(
    'more than the limit',
  );
  expect(await used()).toBe('one');
  const over = AbortSignal.abort(new Error('stopped'));
  await expect(call(() => Promise.reject(over.reason), over)).rejects.toThrow('stopped');
  expect(await used()).toBe('one');
});

test('of calls that fail at one time, only the first leaves the node', async () => {
  const call = callsTo('one', 'two');
  const fail = () => Promise.reject(new DaUnavailable('the node is away'));
  await Promise.allSettled([call(fail, signal), call(fail, signal)]);
  expect(await call(async ({ url }) => url, signal)).toBe('two');
});
