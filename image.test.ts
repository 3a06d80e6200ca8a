import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { CONFIG } from './scripts/image.mjs';
// @ts-expect-error: a script without types
import { USER } from './scripts/packing/base.mjs';
// @ts-expect-error: a script without types
import { packImage } from './scripts/packing/image.mjs';
// @ts-expect-error: a script without types
import { closureOf, runs } from './scripts/packing/installed.mjs';

const root = import.meta.dirname;

describe('the packages that an image has', () => {
  const lock = {
    packages: {
      'node_modules/a': { dependencies: { b: '1' }, optionalDependencies: { 'native-linux': '1', 'native-mac': '1' } },
      'node_modules/a/node_modules/b': { dependencies: { c: '1' } },
      'node_modules/b': {},
      'node_modules/c': { peerDependencies: { p: '1', q: '1' }, peerDependenciesMeta: { q: { optional: true } } },
      'node_modules/p': {},
      'node_modules/q': {},
      'node_modules/native-linux': {},
      'node_modules/native-mac': {},
      'node_modules/unused': {},
      'packages/one/node_modules/d': {},
      'node_modules/d': {},
    },
  };
  const isInstalled = (path: string) => !path.includes('mac');
  const closure = (...imports: readonly [string, string][]) =>
    closureOf(
      lock,
      imports.map(([from, name]) => ({ from, name })),
      isInstalled,
    );

  test('are those that are imported and all that they need, from where Node takes them', () => {
    expect(closure(['packages/one', 'a'])).toEqual([
      'node_modules/a',
      'node_modules/a/node_modules/b',
      'node_modules/c',
      'node_modules/native-linux',
      'node_modules/p',
    ]);
    expect(closure(['packages/one', 'd'], ['packages/two', 'd'])).toEqual([
      'node_modules/d',
      'packages/one/node_modules/d',
    ]);
  });

  test('have to be installed', () => {
    expect(() => closure(['packages/one', 'native-mac'])).toThrow(
      'packages/one needs native-mac, which is not installed: run npm ci',
    );
  });
});

test.each([
  ['index.js', true],
  ['dist/test/index.js', true],
  ['LICENSE.md', true],
  ['prebuilds', true],
  ['prebuilds/linux-x64', true],
  ['prebuilds/darwin-arm64', false],
  ['prebuilds/linux-x64/addon.musl.node', false],
  ['index.d.ts', false],
  ['dist/index.js.map', false],
  ['src/index.ts', false],
  ['dist/parser.test.js', false],
  ['test', false],
  ['README.md', false],
  ['src/binding.cc', false],
])('of a package, %s is in the image: %s', (path, answer) => {
  expect(runs(path, 'linux-x64')).toBe(answer);
});

test('the image that an engine builds is configured like the one that is packed', () => {
  const dockerfile = readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8');
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  const find = (instruction: string) => new RegExp(`^${instruction} (.+)$`, 'm').exec(last)?.[1];
  expect({
    User: find('USER'),
    WorkingDir: find('WORKDIR'),
    Env: find('ENV')?.split(' '),
    Entrypoint: JSON.parse(find('ENTRYPOINT') ?? ''),
  }).toEqual(CONFIG);
  expect(CONFIG.User).toBe(`${USER}:${USER}`);
});

test('the same files give the same image, whenever they were written', async () => {
  const work = mkdtempSync(join(tmpdir(), 'image-'));
  const make = async (name: string, time: Date) => {
    const layer = join(work, name);
    mkdirSync(join(layer, 'etc'), { recursive: true });
    for (const file of ['b', 'a', 'etc/c']) {
      writeFileSync(join(layer, file), file);
      utimesSync(join(layer, file), time, time);
    }
    const { file, digests } = await packImage({
      name: 'localhost/same:1',
      layers: [layer],
      config: { Entrypoint: ['/a'] },
      out: join(work, `${name}.tar`),
    });
    return { hash: createHash('sha256').update(readFileSync(file)).digest('hex'), digests };
  };
  const first = await make('first', new Date(0));
  const second = await make('second', new Date('2026-01-01T00:00:00Z'));
  expect(first.digests).toEqual(second.digests);
  expect(first.digests).toEqual([expect.stringMatching(/^sha256:[0-9a-f]{64}$/)]);
  expect(first.hash).toBe(second.hash);
});
