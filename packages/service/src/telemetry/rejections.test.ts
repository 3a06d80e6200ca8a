import { expect, test } from 'vitest';
import { httpApp } from '../http/http.ts';
import { HttpError } from '../http/http-error.ts';
import { manualClock, memoryLogger } from '../testing.ts';
import { Rejections } from './rejections.ts';

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
  await clock.advance(2 * 3_600_000);
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

// Defect: Peer with a wrong secret logged every ten seconds for ever
test.each([1, 9, 11, 31, 65, 400])(
  'a peer that tries again each %i s for ever makes few lines, and then one an hour',
  (every) => {
    const { log, lines } = memoryLogger();
    let second = 0;
    const timers: { readonly at: number; fire(): void }[] = [];
    const all = new Rejections(log, { after: (ms, fire) => void timers.push({ at: second + ms / 1_000, fire }) });
    const tryFor = (seconds: number): number => {
      const before = lines.length;
      for (const end = second + seconds; second < end; second += 1) {
        for (const due of timers.filter(({ at }) => at <= second)) {
          timers.splice(timers.indexOf(due), 1);
          due.fire();
        }
        if (second % every === 0) all.add('unauthenticated', '10.0.0.1');
      }
      return lines.length - before;
    };
    expect(tryFor(10_000)).toBeLessThan(20);
    expect(tryFor(36_000)).toBe(10);
  },
);

test('what is remembered is bounded', async () => {
  const { all, clock, lines } = rejections();
  for (let reason = 0; reason < 1_000; reason += 1) all.add(String(reason), '10.0.0.1');
  for (let peer = 0; peer < 5_000; peer += 1) all.add('0', String(peer));
  await clock.advance(10_000);
  const { length } = lines;
  // 64 reasons, one for all others, the fields of these, and of the first.
  expect(length).toBe(67);
  expect(lines.find(({ count }) => count === 5_000)).toMatchObject({ reason: '0', peers: 1_000 });
  expect(lines.find(({ count }) => count === 935)).toMatchObject({ reason: 'other reasons' });
});

test('failures that clients can repeat fill no log either', async () => {
  const { log, lines } = memoryLogger();
  const app = httpApp(log);
  app.get('/away/:id', () => Promise.reject(new HttpError(503, 'unavailable', 'not now')));
  app.get('/bug', () => Promise.reject(new Error('a bug')));
  for (let wanted = 0; wanted < 500; wanted += 1) await app.request(`/away/${wanted}`);
  for (let wanted = 0; wanted < 500; wanted += 1) await app.request('/bug');
  expect(lines).toMatchObject([
    { level: 'error', reason: 'unavailable', msg: 'a request failed' },
    { level: 'error', reason: 'a bug', msg: 'a request failed' },
  ]);
});
