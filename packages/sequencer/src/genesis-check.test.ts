import { InvalidConfig } from '@switchyard/service';
import { expect, test } from 'vitest';
import { TestNode } from './app/testing.ts';
import { checkActivation } from './genesis-check.ts';

test('a rule is activated at a height that is to come, or was activated there', async () => {
  const node = new TestNode({ canonicalFrom: 2n });
  expect(checkActivation(node.store.snapshot(), undefined)).toBeUndefined();
  await node.make();
  expect(checkActivation(node.store.snapshot(), 2)).toBe(2n);
  expect(() => checkActivation(node.store.snapshot(), 1)).toThrow(InvalidConfig);
  expect(() => checkActivation(node.store.snapshot(), 1)).toThrow('expected a height above 1, the last one');
  await node.make();
  expect(checkActivation(node.store.snapshot(), 2)).toBe(2n);
});
