import { eventually } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import type { Part } from './frame.ts';
import { openInk } from './ink.ts';
import type { Key } from './keys.ts';
import { FakeKeyboard } from './testing.ts';
import { uncoloured } from './text.ts';

async function opened() {
  const keyboard = new FakeKeyboard();
  const keys: Key[] = [];
  const ink = await openInk({ input: keyboard.stream, onKey: (key) => keys.push(key) });
  return { ink, keyboard, keys };
}

test('log rows stand as they are between what is laid out', async () => {
  const { ink } = await opened();
  const parts: Part[] = [
    { kind: 'chrome', lines: ['\u001b[1mhead\u001b[0m', ''] },
    { kind: 'rows', lines: ['a\u001b[9Gb', 'c'] },
    { kind: 'chrome', lines: ['──', 'foot'] },
    { kind: 'rows', lines: ['d'] },
  ];
  const lines = ink.compose(parts, 20);
  expect(lines.map(uncoloured)).toEqual(['head', '', 'a\u001b[9Gb', 'c', '──', 'foot', 'd']);
  expect(lines[0]).toContain('\u001b[1m');
  expect(ink.compose([{ kind: 'chrome', lines: ['other'] }, ...parts.slice(1, 2)], 20)).toEqual([
    'other',
    'a\u001b[9Gb',
    'c',
  ]);
  expect(ink.compose([], 0)).toEqual([]);
  ink.close();
});

test('keys arrive one by one, and the keyboard is given back', async () => {
  const { ink, keyboard, keys } = await opened();
  await eventually(() => (keyboard.isRaw ? true : undefined));
  keyboard.write('ab\r');
  keyboard.write('\u001b[A');
  keyboard.write('\u001b');
  await eventually(() => (keys.length >= 5 ? true : undefined));
  expect(keys).toEqual([{ char: 'a' }, { char: 'b' }, { name: 'enter' }, { name: 'up' }, { name: 'escape' }]);
  keyboard.write('\u0003');
  await eventually(() => keys.find((key) => 'name' in key && key.name === 'ctrl-c'));
  ink.close();
  expect(keyboard.isRaw).toBe(false);
});
