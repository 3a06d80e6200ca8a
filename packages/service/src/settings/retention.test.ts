import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadConfig } from './config.ts';
import { KEEP_ALL, LEAST_BLOCKS, type Retention, retainFrom, retentionFields, toRetention } from './retention.ts';

const HOUR = 3_600_000;
const chain = (first: bigint, newest: bigint, stepMs = 2_000) => ({
  first,
  newest,
  getTime: (number: bigint) => Number(number) * stepMs,
});

test.each<[string, Retention, bigint]>([
  ['an archive keeps all', KEEP_ALL, 1n],
  ['the newest by count', { blocks: 1_000n, ageMs: undefined }, 9_001n],
  ['by age', { blocks: undefined, ageMs: HOUR }, 8_200n],
  ['the closer of two limits', { blocks: 1_000n, ageMs: HOUR }, 9_001n],
  ['the closer of two limits, the other way about', { blocks: 5_000n, ageMs: HOUR }, 8_200n],
  ['never fewer than the least', { blocks: 1n, ageMs: 1 }, 10_001n - LEAST_BLOCKS],
])('%s', (_, retention, first) => {
  expect(retainFrom(retention, chain(1n, 10_000n), 100_000n)).toBe(first);
});

test('whatever the limits, in the end exactly what is within both stays, and nothing comes back', () => {
  const limits = fc.record({
    blocks: fc.option(fc.bigInt({ min: 1n, max: 400n }), { nil: undefined }),
    ageMs: fc.option(fc.integer({ min: 1, max: 900_000 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(
      limits,
      fc.integer({ min: 1, max: 600 }),
      fc.integer({ min: 1, max: 50 }),
      (retention, length, most) => {
        const newest = BigInt(length);
        let first = 1n;
        for (;;) {
          const next = retainFrom(retention, chain(first, newest), BigInt(most));
          expect(next >= first && next - first <= BigInt(most)).toBe(true);
          if (next === first) break;
          first = next;
        }
        const isKept = (number: bigint) =>
          number > newest - LEAST_BLOCKS ||
          ((retention.blocks === undefined || number > newest - retention.blocks) &&
            (retention.ageMs === undefined || Number(newest - number) * 2_000 <= retention.ageMs));
        const expected = Array.from({ length }, (_, index) => BigInt(index + 1)).find(isKept);
        expect(first).toBe(expected);
      },
    ),
  );
});

test('settings are a number or the word all, and an archive by default', () => {
  const fields = retentionFields('SVC_X_');
  const read = (env: Record<string, string>) => toRetention(loadConfig(fields, env));
  expect(read({})).toEqual({ ...KEEP_ALL, least: LEAST_BLOCKS });
  expect(read({ SVC_X_RETAIN_BLOCKS: 'All', SVC_X_RETAIN_HOURS: 'all' })).toEqual({ ...KEEP_ALL, least: LEAST_BLOCKS });
  expect(read({ SVC_X_RETAIN_BLOCKS: '100_000', SVC_X_RETAIN_HOURS: '24' })).toEqual({
    blocks: 100_000n,
    ageMs: 24 * HOUR,
    least: LEAST_BLOCKS,
  });
  for (const bad of ['', '0', '127', '-5', '1e9', 'none']) {
    expect(() => read({ SVC_X_RETAIN_BLOCKS: bad })).toThrow('SVC_X_RETAIN_BLOCKS');
  }
});
