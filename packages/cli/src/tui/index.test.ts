import { EventEmitter } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { instancePaths } from '../dev/instance/home.ts';
import type { RunningInstance } from '../dev/run/running.ts';
import { TerminalUi } from './index.ts';
import { FakeKeyboard } from './testing.ts';

/** A screen that remembers its text. */
class FakeScreen extends EventEmitter {
  columns = 80;
  rows = 24;
  readonly isTTY = true;
  readonly writableLength = 0;
  written = '';

  write(text: string): boolean {
    this.written += text;
    return true;
  }
}

async function opened() {
  const home = mkdtempSync(join(tmpdir(), 'switchyard-tui-'));
  const calls: string[] = [];
  const call = (name: string) => async (service: string) => {
    calls.push(`${name} ${service}`);
    if (name === 'start') throw new Error('port 3030 is taken');
  };
  let state = 'ready';
  const running = {
    instance: {
      paths: instancePaths(home, 'default'),
      network: {
        name: 'local',
        sequencerChainId: 'chain-0',
        rollupName: 'mine',
        sequencerRpc: 'http://127.0.0.1:1',
        sequencerGrpc: 'http://127.0.0.1:1',
      },
    },
    services: [{ name: 'mine', label: 'mine', version: '', env: {}, command: 'x', args: [], ports: [] }],
    supervisor: {
      status: () => [{ name: 'mine', state, pid: 7, restarts: 0, reason: undefined }],
      restart: call('restart'),
      stopService: call('stop'),
      startService: call('start'),
    },
  } as unknown as RunningInstance; // the part that the UI uses
  const [keyboard, output] = [new FakeKeyboard(), new FakeScreen()];
  const before = { exit: process.listenerCount('exit'), resumed: process.listenerCount('SIGCONT') };
  const screen = new TerminalUi({
    running,
    world: { env: {}, directory: '/', stdout: output, stderr: output, ask: async () => undefined, onStop: () => {} },
    input: keyboard.stream,
    output: output as unknown as NodeJS.WriteStream, // the part that the UI uses
  });
  const seen = (text: string) => eventually(() => (output.written.includes(text) ? true : undefined));
  return { home, screen, keyboard, output, calls, seen, before, become: (next: string) => (state = next) };
}

test('it shows what services say, does what keys ask, and gives the terminal back', async () => {
  const { home, screen, keyboard, output, calls, seen, before, become } = await opened();
  expect(existsSync(join(home, 'tui-config.toml'))).toBe(true);
  screen.event({ kind: 'line', service: 'mine', text: 'hello from mine' }, 0);
  expect(keyboard.isRaw).toBe(true);
  await seen('hello from mine');
  keyboard.write('r');
  await eventually(() => (calls.length === 1 ? true : undefined));
  keyboard.write('s');
  await eventually(() => (calls.length === 2 ? true : undefined));
  become('stopped');
  screen.event({ kind: 'stopped', service: 'mine', killed: false }, 0);
  keyboard.write('s');
  await seen('port 3030 is taken');
  expect(calls).toEqual(['restart mine', 'stop mine', 'start mine']);
  output.columns = 40;
  output.rows = 10;
  output.written = '';
  output.emit('resize');
  await seen('Switchyard');
  keyboard.write('q');
  await seen('q again stops everything');
  keyboard.write('q');
  expect(await screen.quit).toBe('q');
  await screen.close();
  await screen.close();
  expect(output.written.endsWith('\u001b[?7h\u001b[?25h\u001b[?1049l')).toBe(true);
  expect(keyboard.isRaw).toBe(false);
  expect({ exit: process.listenerCount('exit'), resumed: process.listenerCount('SIGCONT') }).toEqual(before);
});

test('facts are those of now while they are seen', async () => {
  const { screen, keyboard, seen, become } = await opened();
  screen.ready();
  keyboard.write('i');
  await seen('pid 7');
  become('restarting');
  await seen('  restarting');
  await screen.close();
});

test('a terminal of no size at all is survived, and used again when it has one', async () => {
  const { screen, output, seen } = await opened();
  for (const [columns, rows] of [
    [0, 0],
    [1, 1],
    [3, 50],
    [200, 2],
    [80, 24],
  ] as const) {
    output.columns = columns;
    output.rows = rows;
    output.written = '';
    output.emit('resize');
  }
  await seen('Switchyard');
  await screen.close();
});
