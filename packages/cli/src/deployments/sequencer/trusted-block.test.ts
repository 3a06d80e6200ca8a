import { expect, test } from 'vitest';
import { trustedBlock } from './layer.ts';

const [a, b] = ['a1'.repeat(32), 'b2'.repeat(32)];
const body = (hash = a) =>
  JSON.stringify({
    first: { height: '1', hash, time: '2026-11-20T00:00:00.000Z' },
    newest: { height: '9000', hash: b, time: '2026-11-24T00:00:00.000Z' },
  });
const at = (day: number) => Date.UTC(2026, 10, day);

test('the first block is the one to trust, until it is too old to lead to newer ones', () => {
  expect(trustedBlock(body(), at(22))).toEqual({ height: 1, hash: a });
  expect(trustedBlock(body(), at(24))).toEqual({ height: 9_000, hash: b });
});

test.each(['', '{}', '{"first":{"height":1}}', body('a b')])('takes nothing from %j', (other) => {
  expect(trustedBlock(other, at(21))).toBeUndefined();
});
