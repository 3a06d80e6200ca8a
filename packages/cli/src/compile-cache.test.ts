import { chmodSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
// @ts-expect-error: plain Node without types
import { compileCache } from '../bin/compile-cache.mjs';

test('what is compiled is kept where its owner alone writes', () => {
  const home = mkdtempSync(join(tmpdir(), 'cache-'));
  const directory = compileCache({}, home);
  expect(directory).toBe(join(home, '.cache', 'switchyard', 'compiled'));
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  const named = join(home, 'named');
  expect(compileCache({ XDG_CACHE_HOME: named }, home)).toBe(join(named, 'switchyard', 'compiled'));
  expect(compileCache({ XDG_CACHE_HOME: 'relative' }, home)).toBe(directory);
  chmodSync(directory, 0o777);
  expect(compileCache({}, home)).toBeUndefined();
  expect(compileCache({}, '/dev/null')).toBeUndefined();
});
