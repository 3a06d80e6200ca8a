import { expect, test } from 'vitest';
import { grouped } from './format.ts';
import { shortId } from './short.ts';

test('shortens what is too long for a line, and leaves the rest', () => {
  const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
  expect([shortId(address), shortId('short')]).toEqual(['0x70997970…dc79C8', 'short']);
});

test('digits before the point are in threes, and nothing is rounded', () => {
  expect(['0.5', '1234567.0000001', '-1000', '999', 'x'].map(grouped)).toEqual([
    ...['0.5', '1,234,567.0000001', '-1,000', '999', 'x'],
  ]);
});
