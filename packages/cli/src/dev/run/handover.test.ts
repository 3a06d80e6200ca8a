import { expect, test } from 'vitest';
import type { Overview } from '../status/network.ts';
import { Handover } from './handover.ts';
import type { PlainScreen } from './screen.ts';

/** Records its calls. */
function fakeScreen() {
  const calls: string[] = [];
  let left: (why: string) => void = () => {};
  const quit = new Promise<string>((resolve) => {
    left = resolve;
  });
  const screen: PlainScreen = {
    quit,
    event: (event, at) => void calls.push(`${event.kind === 'line' ? event.text : event.kind} ${at}`),
    say: (line) => void calls.push(`say ${line}`),
    ending: (why) => void calls.push(`ending ${why}`),
    ready: ({ instance }) => void calls.push(`ready ${instance}`),
    close: async () => void calls.push('closed'),
  };
  return { screen, calls, leave: left };
}
const line = (text: string) => ({ kind: 'line', service: 'a', text }) as const;
const overview: Overview = {
  instance: 'i',
  directory: '/',
  network: 'local',
  pid: 1,
  sequencer: { chainId: 'c', rpc: '', grpc: '' },
  rollup: { name: 'r' },
  services: [],
};

test('events before the terminal UI opened are replayed into it, and plain lines return after it', async () => {
  const [plain, ui] = [fakeScreen(), fakeScreen()];
  const screen = new Handover(plain.screen, async () => ui.screen);
  screen.event(line('early'), 5);
  screen.ready(overview);
  expect(screen.isPlain).toBe(true);
  await screen.handOver();
  await screen.handOver();
  screen.event(line('late'), 6);
  expect([screen.isPlain, ui.calls]).toEqual([false, ['early 5', 'ready i', 'late 6']]);
  ui.leave('q');
  expect(await screen.quit).toBe('q');
  await screen.close();
  screen.say('bye');
  expect([screen.isPlain, ui.calls.at(-1), plain.calls]).toEqual([true, 'closed', ['early 5', 'ready i', 'say bye']]);
});

test('without one everything stays plain', async () => {
  const plain = fakeScreen();
  const screen = new Handover(plain.screen, undefined);
  await screen.handOver();
  screen.event(line('a'), 0);
  await screen.close();
  expect([screen.isPlain, plain.calls]).toEqual([true, ['a 0']]);
});

test('only so much is kept for a UI that has not been opened', async () => {
  const [plain, ui] = [fakeScreen(), fakeScreen()];
  const screen = new Handover(plain.screen, async () => ui.screen);
  for (let index = 0; index < 6_000; index += 1) screen.event(line(`${index}`), index);
  await screen.handOver();
  expect([ui.calls.length, ui.calls[0], ui.calls.at(-1)]).toEqual([5_000, '1000 1000', '5999 5999']);
});

test('one that cannot be opened fails for its opener, and can still be closed', async () => {
  const plain = fakeScreen();
  const screen = new Handover(plain.screen, () => Promise.reject(new Error('no terminal')));
  await expect(screen.handOver()).rejects.toThrow('no terminal');
  await screen.close();
  expect(screen.isPlain).toBe(true);
});
