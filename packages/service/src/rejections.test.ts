import { expect, test } from 'vitest';
import { Rejections } from './rejections.ts';
import { manualClock, memoryLogger } from './testing.ts';

function rejections() {
  const { log, lines } = memoryLogger();
  const clock = manualClock();
  return { clock, lines, all: new Rejections(log, { after: (ms, fire) => void clock.after(ms, fire) }) };
}

test('the first refusal is logged at once, a flood as one line for each interval', async () => {
  const { all, clock, lines } = rejections();
  for (let sent = 0; sent < 100_000; sent += 1) all.add('host-not-allowed', `10.0.0.${sent % 3}`, { message: 'no' });
  await clock.advance(10_000);
  for (let sent = 0; sent < 5; sent += 1) all.add('host-not-allowed', '10.0.0.1', { message: 'no' });
  await clock.advance(30_000);
  expect(lines).toMatchObject([
    { msg: 'a client is refused', reason: 'host-not-allowed', peer: '10.0.0.0', message: 'no' },
    { msg: 'clients are refused', reason: 'host-not-allowed', count: 99_999, peers: 3, seconds: 10 },
    { msg: 'clients are refused', count: 5, peers: 1, peer: '10.0.0.1' },
  ]);
  expect(clock.pending).toBe(0);
});

test('reasons are logged apart, and after a pause at once again', async () => {
  const { all, clock, lines } = rejections();
  all.add('a', undefined);
  all.add('b', undefined);
  await clock.advance(10_000);
  all.add('a', undefined);
  expect(lines.map(({ reason }) => reason)).toEqual(['a', 'b', 'a']);
});

test('what is remembered is bounded', async () => {
  const { all, clock, lines } = rejections();
  for (let reason = 0; reason < 1_000; reason += 1) all.add(String(reason), '10.0.0.1');
  for (let peer = 0; peer < 5_000; peer += 1) all.add('0', String(peer));
  await clock.advance(10_000);
  expect(lines).toHaveLength(65);
  expect(lines.at(-1)).toMatchObject({ count: 5_000, peers: 1_000 });
});
