import { expect, test } from 'vitest';
import type { Overview } from '../status/overview.ts';
import { Handover } from './handover.ts';
import type { Screen } from './screen.ts';

/** Notes what it is told. */
function fakeScreen() {
  const told: string[] = [];
  let left: (why: string) => void = () => {};
  const quit = new Promise<string>((resolve) => {
    left = resolve;
  });
  const screen: Screen = {
    quit,
    event: (event) => void told.push(event.kind === 'line' ? event.text : event.kind),
    say: (line) => void told.push(`say ${line}`),
    ready: ({ instance }) => void told.push(`ready ${instance}`),
    close: async () => void told.push('closed'),
  };
  return { screen, told, leave: left };
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

test('the terminal UI hears what happened before it was opened, and plain lines come again after it', async () => {
  const [plain, ui] = [fakeScreen(), fakeScreen()];
  const screen = new Handover(plain.screen, async () => ui.screen);
  screen.event(line('early'));
  screen.ready(overview);
  expect(screen.isPlain).toBe(true);
  await screen.handOver();
  await screen.handOver();
  screen.event(line('late'));
  expect([screen.isPlain, ui.told]).toEqual([false, ['early', 'ready i', 'late']]);
  ui.leave('q');
  expect(await screen.quit).toBe('q');
  await screen.close();
  screen.say('bye');
  expect([screen.isPlain, ui.told.at(-1), plain.told]).toEqual([true, 'closed', ['early', 'ready i', 'say bye']]);
});

test('without one everything stays plain', async () => {
  const plain = fakeScreen();
  const screen = new Handover(plain.screen, undefined);
  await screen.handOver();
  screen.event(line('a'));
  await screen.close();
  expect([screen.isPlain, plain.told]).toEqual([true, ['a']]);
});

test('only so much is kept for a UI that has not been opened', async () => {
  const [plain, ui] = [fakeScreen(), fakeScreen()];
  const screen = new Handover(plain.screen, async () => ui.screen);
  for (let index = 0; index < 6_000; index += 1) screen.event(line(`${index}`));
  await screen.handOver();
  expect([ui.told.length, ui.told[0], ui.told.at(-1)]).toEqual([5_000, '1000', '5999']);
});

test('one that cannot be opened is an error of whoever opens it, and closing goes on', async () => {
  const plain = fakeScreen();
  const screen = new Handover(plain.screen, () => Promise.reject(new Error('no terminal')));
  await expect(screen.handOver()).rejects.toThrow('no terminal');
  await screen.close();
  expect(screen.isPlain).toBe(true);
});
