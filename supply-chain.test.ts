import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { isAllowed, noticesOf, productionPackages, readLock, sbomOf } from './scripts/supply-chain.mjs';

interface Package {
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

const lock = readLock();
const packages: readonly Package[] = productionPackages(lock);

test('every library that is installed with the product has a licence that it may have', () => {
  expect(packages.length).toBeGreaterThan(100);
  expect(
    packages.filter(({ license }) => !isAllowed(license)).map(({ name, license }) => `${name}: ${license}`),
  ).toEqual([]);
});

test('elliptic is not installed with the product', () => {
  // npm's override puts a library that is maintained in its place, which nothing loads from there.
  expect(packages.filter(({ name }) => name === 'elliptic')).toEqual([]);
  expect(packages.filter(({ path }) => path.endsWith('/elliptic')).map(({ name }) => name)).toEqual(['@noble/curves']);
});

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['(MIT AND GPL-3.0-only)', false],
  ['GPL-3.0-only', false],
  ['SEE LICENSE IN LICENSE', false],
  [undefined, false],
])('a licence of %s may be used: %s', (expression, answer) => {
  expect(isAllowed(expression)).toBe(answer);
});

test('the bill of materials names every library once, with its hash, and every dependency it has', () => {
  const { components, dependencies } = sbomOf(lock);
  const refs = new Set(components.map((each: { 'bom-ref': string }) => each['bom-ref']));
  expect([refs.size, components.length]).toEqual([packages.length, packages.length]);
  for (const { hashes, purl } of components) {
    expect([purl, hashes?.[0]?.alg, hashes?.[0]?.content.length]).toEqual([purl, 'SHA-512', 128]);
  }
  const [product, ...others] = dependencies;
  expect(product.dependsOn).toContain('node_modules/lmdb');
  const needed = new Set([...product.dependsOn, ...others.flatMap((each: { dependsOn: string[] }) => each.dependsOn)]);
  expect([...needed].filter((ref) => !refs.has(ref as string))).toEqual([]);
  expect([...refs].filter((ref) => !needed.has(ref))).toEqual([]);
});

test('the notices have the text of every licence that is here', () => {
  const notices: string = noticesOf(lock);
  for (const { name, version } of packages) expect(notices).toContain(`## ${name} ${version}\n`);
  expect(notices).toContain('Permission is hereby granted, free of charge');
});
