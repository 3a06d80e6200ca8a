import { expect, test } from 'vitest';
import { systemReason } from './files.ts';

test('a failed call is told without its path', () => {
  expect(systemReason(new Error("ENOENT: no such file or directory, open '/x'"))).toBe(
    'ENOENT: no such file or directory',
  );
});
