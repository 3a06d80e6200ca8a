import { expect, onTestFinished, test } from 'vitest';
import { executionParts } from '../../define/execution-parts.ts';
import { u64 } from '../../schema/scalars.ts';
import { union } from '../../schema/shapes.ts';
import { bringExecution } from './bring-execution.ts';

// Defect: it was made again for each transaction, which took more time than all else of the execution in a page
test('the decoder of a definition is made once', () => {
  const before = { ...executionParts };
  onTestFinished(() => void Object.assign(executionParts, before));
  bringExecution();
  const { wireDecoder } = executionParts;
  const action = union({ add: { amount: u64 } }) as Parameters<NonNullable<typeof wireDecoder>>[0];
  expect(wireDecoder?.(action, 1)).toBe(wireDecoder?.(action, 1));
});
