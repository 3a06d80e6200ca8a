import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { openingsIn, type PackageSize, sizeOf, unusedDependencies } from './e2e/support/package-size.ts';
import { sourcesIn } from './e2e/support/sources.ts';

/**
 * Upper bounds over all packages together: lines without tests and generated code, names that the `index.ts` files export, and
 * comments that open with a clause. They only go down: an addition is paid for by what the same change deletes.
 */
const BOUNDS: PackageSize = { lines: 165_545, exports: 765, openings: 0 };

/** Declared, imported nowhere, and needed: the package that satisfies a peer dependency of another one. */
const PEERS: Readonly<Record<string, readonly string[]>> = { cli: ['commander'], web: ['preact'] };

const root = import.meta.dirname;
const packages = readdirSync(join(root, 'packages')).sort();

test('all packages together stay within their bounds', () => {
  const sizes = packages.map((name) => sizeOf(join(root, 'packages', name)));
  const total = (measure: keyof PackageSize) => sizes.reduce((sum, size) => sum + size[measure], 0);
  const over = (['lines', 'exports', 'openings'] as const).filter((measure) => total(measure) > BOUNDS[measure]);
  const openings = sourcesIn(join(root, 'packages')).flatMap((path) =>
    openingsIn(readFileSync(path, 'utf8'), relative(root, path)),
  );
  const found = over.map((measure) => `${measure}: at most ${BOUNDS[measure]}, got ${total(measure)}`);
  expect({ found, openings }).toEqual({ found: [], openings: [] });
});

test.each(packages)('%s imports every dependency that it declares', (name) => {
  expect(unusedDependencies(join(root, 'packages', name))).toEqual(PEERS[name] ?? []);
});

test.each([
  ['// What is kept of blocks.', 1],
  ['/** Of the newest ones. */', 1],
  [' * The same over WebSocket.', 1],
  ['// A submission waits its turn.', 0],
  ["const text = 'What is kept';", 0],
])('counts the opening of: %s', (line, count) => {
  expect(openingsIn(line, 'x.ts').length).toBe(count);
});
