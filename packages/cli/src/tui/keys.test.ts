import { eventually } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { type Key, listenToKeys } from './keys.ts';
import { FakeKeyboard } from './testing.ts';

const LAST = '■';

/** The keys that are reported for the bytes of a terminal. */
async function keysIn(...chunks: readonly (string | Uint8Array)[]): Promise<Key[]> {
  const keyboard = new FakeKeyboard();
  const keys: Key[] = [];
  const close = listenToKeys(keyboard.stream, (key) => keys.push(key));
  for (const chunk of [...chunks, LAST]) keyboard.write(chunk);
  await eventually(() => keys.find((key) => 'char' in key && key.char === LAST));
  close();
  return keys.slice(0, -1);
}

test.each([
  ['up', ['\u001b[A', '\u001bOA', '\u001b[1;5A']],
  ['down', ['\u001b[B', '\u001bOB', '\u001b[1;2B']],
  ['page-up', ['\u001b[5~']],
  ['page-down', ['\u001b[6~']],
  ['home', ['\u001b[H', '\u001bOH', '\u001b[1~', '\u001b[7~']],
  ['end', ['\u001b[F', '\u001bOF', '\u001b[4~', '\u001b[8~']],
  ['enter', ['\r', '\n']],
  ['tab', ['\t']],
  // The key with the arrow to the left, in both of its encodings, and the one named Del.
  ['backspace', ['\u007f', '\b', '\u001b[3~']],
  ['ctrl-c', ['\u0003']],
] as const)('%s is recognized in what different terminals send for it', async (name, sequences) => {
  expect(await keysIn(...sequences)).toEqual(sequences.map(() => ({ name })));
});

test('what is typed fast or pasted arrives in one piece and is taken apart', async () => {
  expect(await keysIn('/aB \r\u007f日🚀\u001b[A\u0003\u0007')).toEqual([
    { char: '/' },
    { char: 'a' },
    { char: 'B' },
    { char: ' ' },
    { name: 'enter' },
    { name: 'backspace' },
    { char: '日' },
    { char: '🚀' },
    { name: 'up' },
    { name: 'ctrl-c' },
  ]);
});

test('a sequence or a character that arrives in several pieces is one key', async () => {
  const [rocket, arrow] = [new TextEncoder().encode('🚀'), '\u001b[1;5A'];
  expect(await keysIn(...Array.from(rocket, (byte) => Uint8Array.of(byte)), ...arrow)).toEqual([
    { char: '🚀' },
    { name: 'up' },
  ]);
});

test('Esc alone is a key, and so it is together with the next one', async () => {
  const keyboard = new FakeKeyboard();
  const keys: Key[] = [];
  const close = listenToKeys(keyboard.stream, (key) => keys.push(key));
  keyboard.write('\u001b');
  await eventually(() => (keys.length > 0 ? true : undefined));
  keyboard.write('\u001b\u001b');
  await eventually(() => (keys.length > 2 ? true : undefined));
  close();
  expect(keys).toEqual([{ name: 'escape' }, { name: 'escape' }, { name: 'escape' }]);
  expect(await keysIn('\u001bf', '\u001b/', '\u001b\u0003', '\u001b\u001bq')).toEqual([
    { name: 'escape' },
    { char: 'f' },
    { name: 'escape' },
    { char: '/' },
    { name: 'escape' },
    { name: 'ctrl-c' },
    { name: 'escape' },
    { name: 'escape' },
    { char: 'q' },
  ]);
});

test('keys without a meaning are ignored: all others with Ctrl, function keys, focus and unknown sequences', async () => {
  const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter((char) =>
    /^\p{Cc}$/u.test(char),
  );
  const known = ['\u0003', '\b', '\t', '\n', '\r', '\u001b', '\u007f'];
  expect(await keysIn(...controls.filter((char) => !known.includes(char)))).toEqual([]);
  expect(await keysIn('\u001b[C', '\u001bOP', '\u001b[24~', '\u001b[200~', '\u001b[I')).toEqual([]);
});

test('the keyboard is raw while it is listened to, and given back', async () => {
  const keyboard = new FakeKeyboard();
  const keys: Key[] = [];
  const close = listenToKeys(keyboard.stream, (key) => keys.push(key));
  expect(keyboard.isRaw).toBe(true);
  keyboard.write('a');
  await eventually(() => (keys.length > 0 ? true : undefined));
  close();
  expect([keyboard.isRaw, keyboard.isPaused(), keyboard.listenerCount('keypress')]).toEqual([false, true, 0]);
});
