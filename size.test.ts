import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { computeSize, type PackageSize, unusedDependencies } from './e2e/support/package-size.ts';

/**
 * Upper bounds over all packages together: lines without tests and generated code, names that the `index.ts` files
 * export. They only go down: an addition is paid for by what the same change deletes. Lines have 4,918 for the live client that are
 * not paid for yet: the chat's own stores, polling and checks have to go for it.
 */
const BOUNDS: PackageSize = { lines: 169_272, exports: 761 };

/** Declared, imported nowhere, and needed: the package that satisfies a peer dependency of another one. */
const PEERS: Readonly<Record<string, readonly string[]>> = { cli: ['commander'], web: ['preact'] };

const root = import.meta.dirname;
const packages = readdirSync(join(root, 'packages')).sort();

test('all packages together stay within their bounds', () => {
  const sizes = packages.map((name) => computeSize(join(root, 'packages', name)));
  const total = (measure: keyof PackageSize) => sizes.reduce((sum, size) => sum + size[measure], 0);
  const over = (['lines', 'exports'] as const).filter((measure) => total(measure) > BOUNDS[measure]);
  const found = over.map((measure) => `${measure}: at most ${BOUNDS[measure]}, got ${total(measure)}`);
  expect(found).toEqual([]);
});

test.each(packages)('%s imports every dependency that it declares', (name) => {
  expect(unusedDependencies(join(root, 'packages', name))).toEqual(PEERS[name] ?? []);
});
