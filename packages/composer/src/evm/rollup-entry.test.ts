import { expect, test } from 'vitest';
import { rollupEntries, shownUrl } from './rollup-entry.ts';

test('entries are names and addresses', () => {
  expect(rollupEntries.fromText('evm::ws://127.0.0.1:8546, two::wss://user:word@host/path?key=1,')).toEqual([
    { name: 'evm', url: 'ws://127.0.0.1:8546' },
    { name: 'two', url: 'wss://user:word@host/path?key=1' },
  ]);
  expect(rollupEntries.fromText('')).toEqual([]);
});

test.each(['evm', 'evm:ws://a:1', '::ws://a:1', 'evm::http://a:1', 'evm::ws://', 'evm::ws://a:1,evm::ws://b:1'])(
  'not %s',
  (text) => {
    expect(rollupEntries.fromText(text)).toBeUndefined();
  },
);

test('secrets of an address are not shown', () => {
  expect(shownUrl({ name: 'x', url: 'wss://user:word@host:1/path?key=1' })).toBe('wss://host:1');
});
