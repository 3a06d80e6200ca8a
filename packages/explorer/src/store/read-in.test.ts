import { expect, test } from 'vitest';
import { readIn } from './read-in.ts';

// Defect: Lists of rows were arguments of a call
test('however many rows a store has for some values, all are read', async () => {
  const row = { height: 1 };
  const rows = await readIn(
    { read: async () => new Array(1_000_000).fill(row) },
    'SELECT height FROM x WHERE y',
    [],
    ['a'],
  );
  expect(rows).toHaveLength(1_000_000);
});
