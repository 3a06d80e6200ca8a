import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { isPublished } from './scripts/packing/libraries.mjs';
// @ts-expect-error: a script without types
import { refuseTests } from './scripts/packing/test-files.mjs';
// @ts-expect-error: a script without types
import { withRelease } from './scripts/release.mjs';

test('what is unreleased becomes the section of a version, under an empty one', () => {
  const text = '# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0 - 2026-01-01\n\n- Old.\n';
  expect(withRelease(text, '0.2.0', '2026-02-02')).toBe(
    '# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-02-02\n\n- New.\n\n## 0.1.0 - 2026-01-01\n\n- Old.\n',
  );
});

test.each([
  ['nothing is unreleased', '# Changelog\n\n## Unreleased\n\n## 0.1.0 - 2026-01-01\n\n- Old.\n', 'nothing is under'],
  ['nothing is there at all', '# Changelog\n\n## Unreleased\n', 'nothing is under'],
  ['the first section is another', '# Changelog\n\n## 0.1.0 - 2026-01-01\n', 'expected "## Unreleased"'],
])('no release is made where %s', (_, text, problem) => {
  expect(() => withRelease(text, '0.2.0', '2026-02-02')).toThrow(problem);
});

test('of all support for tests, only that for authors of rollups is published', () => {
  const packages = join(import.meta.dirname, 'packages');
  const published = readdirSync(packages).flatMap((name) => {
    // Our own file, which npm validates on every install.
    const { exports = {} } = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8')) as {
      exports?: Record<string, { 'switchyard-source': string }>;
    };
    return Object.entries(exports)
      .filter(
        ([entry, { 'switchyard-source': source }]) => isPublished(name, entry) && /test|suite/.test(entry + source),
      )
      .map(([entry]) => `${name}${entry.slice(1)}`);
  });
  expect(published.sort()).toEqual(['rollup/executor-suite', 'rollup/testing']);
});

test.each([
  '/packages/evm/dist/testing.js',
  '/packages/evm/dist/testing/transactions.js',
  '/packages/evm/dist/geth/testing.d.ts',
  '/packages/evm/dist/backend.suite.js',
  '/packages/sequencer/dist/app/script.testing.js',
  '/packages/evm/dist/node.test.js',
])('no package is made with %s', (file) => {
  expect(() => refuseTests(new Set(['/packages/evm/dist/main.js', file]))).toThrow(`published entry: ${file}`);
});

test('a package is made with files whose names resemble those of tests', () => {
  refuseTests(['/packages/evm/dist/latest.js', '/packages/evm/dist/rpc/test-methods.js']);
});
