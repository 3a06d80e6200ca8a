import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { claimPorts, isFree } from './ports.ts';

test('two networks have ports of their own, and both leave out one that another program has', async () => {
  const [one, other] = [await claimPorts(), await claimPorts()];
  const first = await one.next();
  const stranger = createServer();
  await new Promise<void>((resolve, reject) => {
    stranger.once('error', reject).listen(first + 1, '127.0.0.1', resolve);
  });
  const second = await one.next();
  expect(second).toBeGreaterThan(first + 1);
  const others = [await other.next(), await other.next()];
  expect(others.filter((port) => port >= first && port < first + 60)).toEqual([]);
  expect(await isFree(first + 1)).toBe(false);
  await new Promise((resolve) => stranger.close(resolve));
  await Promise.all([one.release(), other.release()]);
});
