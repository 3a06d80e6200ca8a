import { expect, test } from 'vitest';
import { keysOf, type RawKey } from './keys.ts';

const RAW: RawKey = {
  upArrow: false,
  downArrow: false,
  pageUp: false,
  pageDown: false,
  return: false,
  escape: false,
  backspace: false,
  delete: false,
  ctrl: false,
  meta: false,
};

test.each([
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['pageUp', 'page-up'],
  ['pageDown', 'page-down'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['backspace', 'backspace'],
  // What most terminals send for the key with the arrow to the left.
  ['delete', 'backspace'],
] as const)('%s is %s', (raw, name) => {
  expect(keysOf('', { ...RAW, [raw]: true })).toEqual([{ name }]);
});

test('what is typed fast arrives as one piece and is taken apart', () => {
  expect(keysOf('/ab\r\u007f日🚀\u0003\u0007', RAW)).toEqual([
    { char: '/' },
    { char: 'a' },
    { char: 'b' },
    { name: 'enter' },
    { name: 'backspace' },
    { char: '日' },
    { char: '🚀' },
    { name: 'ctrl-c' },
  ]);
});

test('Esc and a letter that arrive together are two keys', () => {
  expect(keysOf('f', { ...RAW, meta: true })).toEqual([{ name: 'escape' }, { char: 'f' }]);
});

test('of keys with Ctrl only C means something', () => {
  expect(keysOf('c', { ...RAW, ctrl: true })).toEqual([{ name: 'ctrl-c' }]);
  expect(keysOf('q', { ...RAW, ctrl: true })).toEqual([]);
});
