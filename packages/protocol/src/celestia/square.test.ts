import { expect, test } from 'vitest';
import { namespaceFromId } from './namespace.ts';
import { sharesOfBlob } from './shares.ts';
import { buildSquare, squareInSteps } from './square.ts';

test('a square is made in steps, none of which does more than two lines of it', () => {
  const namespace = namespaceFromId(new Uint8Array(10).fill(0x22));
  const shares = sharesOfBlob({ namespace, data: new Uint8Array(30_000).fill(7), author: undefined });
  const steps = squareInSteps(shares);
  let count = 0;
  let last = steps.next();
  for (; !last.done; last = steps.next()) count += 1;
  // One commitment for the leaves of each row, and one for those of each row and column.
  expect(count).toBe(2 * 8);
  expect(last.value).toEqual(buildSquare(shares));
  expect(last.value.rows).toHaveLength(8);
});
