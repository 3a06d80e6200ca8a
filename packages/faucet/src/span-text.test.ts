import { expect, test } from 'vitest';
import { spanText } from './span-text.ts';

test.each([
  [1, '1 second'],
  [59_001, '60 seconds'],
  [60_000, '1 minute'],
  [61_000, '2 minutes'],
  [3_600_000, '1 hour'],
  [23 * 3_600_000 + 59 * 60_000, '23 hours 59 minutes'],
])('%d ms are %s', (ms, text) => {
  expect(spanText(ms)).toBe(text);
});
