import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
// @ts-expect-error: plain Node without types
import { lineOf, packagesIn, STEPS, shownLine, startStep } from './scripts/progress.mjs';

test('packages of other systems are not waited for', () => {
  const lock = {
    packages: {
      '': {},
      'packages/cli': {},
      'node_modules/@switchyard/cli': { link: true },
      'node_modules/a': {},
      'node_modules/a/node_modules/b': { os: ['linux'] },
      'node_modules/c': { os: ['darwin'] },
      'node_modules/d': { os: ['!linux'] },
      'node_modules/e': { cpu: ['arm64'] },
      'node_modules/f': { os: ['linux'], libc: ['musl'] },
    },
  };
  expect(packagesIn(lock, { platform: 'linux', arch: 'x64', libc: 'glibc' })).toEqual([
    'node_modules/a',
    'node_modules/a/node_modules/b',
  ]);
});

test('an installation is counted by the packages that npm has made directories for', () => {
  const directory = mkdtempSync(join(tmpdir(), 'progress-'));
  const packages = { 'node_modules/a': {}, 'node_modules/b': {}, 'node_modules/optional': {} };
  writeFileSync(join(directory, 'package-lock.json'), JSON.stringify({ packages }));
  const step = STEPS.install(directory, 0);
  expect(lineOf(step, 2)).toBe('installing dependencies: npm reads the lockfile, 2 s');
  for (const name of ['a', 'b']) mkdirSync(join(directory, 'node_modules', name), { recursive: true });
  expect(lineOf(step, 7)).toBe('installing dependencies: npm fetches 2 packages, 7 s');
  writeFileSync(join(directory, 'node_modules', 'a', 'package.json'), '{}');
  expect(lineOf(step, 9)).toBe('installing dependencies: 1 of 2 packages are there, 9 s');
});

test('what was built before does not count', () => {
  const root = import.meta.dirname;
  for (const name of ['build', 'pages']) {
    expect(lineOf(STEPS[name](root, Number.POSITIVE_INFINITY), 2)).toMatch(/: 0 of [1-9]\d* \w+, 2 s$/);
    expect(lineOf(STEPS[name](root, 0), 2)).not.toMatch(/: 0 of /);
  }
});

test('on a terminal one line changes, elsewhere lines follow each other', () => {
  expect(shownLine('compiling: 1 of 2 packages, 1 s', undefined)).toBe('compiling: 1 of 2 packages, 1 s\n');
  expect(shownLine('compiling: 1 of 2 packages, 1 s', 10)).toBe('\r\u001b[2Kcompiling\r');
});

test('npm start states each of its steps, also where nothing is to be done', () => {
  expect([startStep('install'), startStep('install', true), startStep('build'), startStep('run')]).toEqual([
    'step 1 of 3: installing the dependencies, once',
    'step 1 of 3: the dependencies are installed',
    'step 2 of 3: building the programs and pages, as far as they have changed',
    'step 3 of 3: starting the network',
  ]);
});
