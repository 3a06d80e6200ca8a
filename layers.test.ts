import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { importCycles, sourcesIn } from './e2e/support/sources.ts';

/** Packages of ours that each package may import. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  storage: [],
  machine: ['protocol', 'storage'],
  service: ['protocol', 'storage'],
  'evm-machine': ['protocol'],
  client: ['protocol', 'service'],
  da: ['protocol', 'storage', 'service'],
  rollup: ['protocol', 'storage', 'machine', 'service', 'client'],
  sequencer: ['protocol', 'storage', 'machine', 'service'],
  messenger: ['protocol', 'machine', 'service', 'client', 'rollup'],
  composer: ['protocol', 'storage', 'service', 'client'],
  relayer: ['protocol', 'storage', 'service', 'client', 'da'],
  conductor: ['protocol', 'service', 'client', 'da'],
  evm: ['protocol', 'storage', 'evm-machine', 'service', 'client', 'rollup'],
  withdrawer: ['protocol', 'storage', 'service', 'client', 'evm'],
  faucet: ['protocol', 'storage', 'service', 'client', 'rollup'],
  explorer: ['protocol', 'service', 'client', 'evm'],
  web: ['protocol', 'client', 'rollup', 'messenger', 'faucet', 'explorer'],
  stack: [
    ...['protocol', 'service'],
    ...['sequencer', 'da', 'relayer', 'composer', 'conductor', 'messenger', 'evm', 'withdrawer'],
    ...['faucet', 'explorer'],
  ],
  network: [
    ...['protocol', 'storage', 'service', 'client', 'rollup', 'stack'],
    ...['sequencer', 'da', 'relayer', 'composer', 'conductor', 'messenger', 'evm', 'withdrawer'],
    ...['faucet', 'explorer'],
  ],
  create: [],
  cli: [
    ...['protocol', 'storage', 'machine', 'service', 'client', 'rollup', 'stack', 'network', 'create'],
    ...['sequencer', 'da', 'relayer', 'composer', 'conductor', 'messenger', 'evm', 'withdrawer'],
    ...['faucet', 'explorer'],
  ],
};

interface Manifest {
  readonly imports?: Readonly<Record<string, Readonly<Record<'switchyard-source', Readonly<Record<string, string>>>>>>;
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const root = import.meta.dirname;
const getManifest = (name: string): Manifest =>
  // Our own file, checked by npm on every install.
  JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest;

/** Without tests, which may import more than their package. */
const sources = (directory: string) => sourcesIn(directory).filter((path) => !/\.(test|suite)\.tsx?$/.test(path));

test('every package has its place among the layers', () => {
  const packages = readdirSync(join(root, 'packages')).filter((name) =>
    existsSync(join(root, 'packages', name, 'package.json')),
  );
  expect(packages.sort()).toEqual(Object.keys(MAY_IMPORT).sort());
});

const architecture = readFileSync(join(root, 'docs/architecture.md'), 'utf8');

test('in the picture of the architecture document imports lead down', () => {
  const [, picture = ''] = /^```text\ntools([\s\S]+?)^```$/m.exec(architecture) ?? [];
  const lines = picture
    .replaceAll(/pages|processes|framework|libraries/g, '')
    .split('\n')
    .map((line) => line.split(/\s+/).filter(Boolean));
  const computeDepth = (name: string) => lines.findIndex((names) => names.includes(name));
  expect(lines.flat().sort()).toEqual(Object.keys(MAY_IMPORT).sort());
  for (const [name, allowed] of Object.entries(MAY_IMPORT)) {
    expect(allowed.filter((other) => computeDepth(other) <= computeDepth(name))).toEqual([]);
  }
});

test.each(Object.entries(MAY_IMPORT))('%s declares only what its layer allows', (name, allowed) => {
  const { dependencies = {} } = getManifest(name);
  const own = Object.keys(dependencies).filter((dependency) => dependency.startsWith('@switchyard/'));
  expect(own.filter((dependency) => !allowed.includes(dependency.slice('@switchyard/'.length)))).toEqual([]);
});

test.each(['cli', 'web', 'withdrawer', 'faucet', 'explorer', 'stack'])(
  '%s takes only the client part of a rollup, and of a process its settings or, as a page, its contract',
  (name) => {
    const processes =
      /(?:from |import\()'(@switchyard\/(?:sequencer|relayer|composer|conductor|messenger|evm|withdrawer|faucet|explorer)[^']*)'/g;
    const files = sources(join(root, 'packages', name, 'src')).filter((path) => !/\/testing\.tsx?$/.test(path));
    const imports = files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(processes)].map((match) => match[1] ?? ''),
    );
    const subpaths = name === 'web' ? 'contract' : name === 'cli' ? '(config|contract)' : 'config';
    const allowed = new RegExp(`^@switchyard/((messenger|evm)/client(/\\w+)?|\\w+/${subpaths})$`);
    expect(imports.filter((specifier) => !allowed.test(specifier))).toEqual([]);
  },
);

test('the settings of a process load nothing but what settings are described with', () => {
  const processes = [
    ...['sequencer', 'da', 'relayer', 'composer', 'conductor', 'messenger', 'evm', 'withdrawer', 'faucet', 'explorer'],
  ];
  const outside = processes.flatMap((name) => packagesReached(`@switchyard/${name}/config`));
  const described = ['@switchyard/protocol/values', '@switchyard/rollup/config', '@switchyard/service/settings'];
  expect([...new Set(outside)].sort()).toEqual(described);
});

test.each(['explorer', 'faucet', 'messenger', 'withdrawer'])(
  'the contract of %s loads nothing but what contracts are described with',
  (name) => {
    const described = ['@switchyard/client/rollup-contract', '@switchyard/service/contract'];
    expect(described).toEqual(expect.arrayContaining(packagesReached(`@switchyard/${name}/contract`)));
  },
);

test('definitions of rollups, which pages load too, load nothing of Node', () => {
  const entries = ['', '/client', '/internal'].map((entry) => `@switchyard/rollup${entry}`);
  const reached = [...entries, '@switchyard/machine/browser'].flatMap(packagesReached);
  expect([...new Set(reached)].sort()).toEqual([
    '@switchyard/client/rollup',
    '@switchyard/machine/browser',
    '@switchyard/protocol',
    '@switchyard/service/input',
  ]);
});

test.each([
  ['switchyard', []],
  ['rollup-cli', ['@switchyard/protocol/values', '@switchyard/service/input']],
])('%s loads for its help nothing but the declarations of its commands and what reads arguments', (name, readers) => {
  const { outside } = filesReached(join(root, 'packages', 'cli', 'src', `${name}.ts`));
  const own = [...outside].filter((specifier) => !specifier.startsWith('node:')).sort();
  const usual = [
    '@commander-js/extra-typings',
    '@switchyard/protocol/hidden-characters',
    '@switchyard/service/failure',
    '@switchyard/storage/damaged',
  ];
  expect(own).toEqual([...usual, ...readers].sort());
});

/** Packages that an entry of ours imports from, at run time. */
function packagesReached(entry: string): string[] {
  const { exports } = getManifest(entry.split('/')[1] ?? '');
  const [, name = '', ...subpath] = entry.split('/');
  const start = join(root, 'packages', name, exports?.[['.', ...subpath].join('/')]?.['switchyard-source'] ?? '');
  return [...filesReached(start).outside];
}

/** Files that are loaded with one of our packages, and the packages that these import from; without what `import()` loads. */
function filesReached(start: string): { readonly files: ReadonlySet<string>; readonly outside: ReadonlySet<string> } {
  const seen = new Set<string>();
  const outside = new Set<string>();
  for (const queue = [start]; queue.length > 0; ) {
    const file = queue.pop() ?? '';
    if (seen.has(file)) continue;
    seen.add(file);
    for (const [, kind, specifier = ''] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export)\s(type\s)?[^;]*?from '([^']+)';/gm,
    )) {
      if (kind !== undefined) continue;
      if (specifier.startsWith('.')) queue.push(join(file, '..', specifier));
      else if (specifier.startsWith('#')) queue.push(...getFiles(file, specifier));
      else outside.add(specifier);
    }
  }
  return { files: seen, outside };
}

/** Files that take the place of an import of the package itself, in Node and in pages. */
function getFiles(importer: string, specifier: string): string[] {
  const [, name = ''] = relative(root, importer).split('/');
  const files = Object.values(getManifest(name).imports?.[specifier]?.['switchyard-source'] ?? {});
  return files.map((file) => join(root, 'packages', name, file));
}

test.each([
  ['sequencer', 'app', ['engine', 'grpc']],
  ['rollup', 'execution', ['app']],
])('inside %s, %s/ does not import %s', (name, folder, forbidden) => {
  const offences = sources(join(root, 'packages', name, 'src', folder)).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/from '((?:\.\.\/)+)([^/']+)\//g)]
      .filter((match) => forbidden.includes(match[2] ?? ''))
      .map((match) => `${file}: ${match[0]}`),
  );
  expect(offences).toEqual([]);
});

test.each(['main.ts', 'embedded/parts.ts'])('of geth, %s of an EVM node loads only the settings', (start) => {
  const source = join(root, 'packages', 'evm', 'src');
  const { files, outside } = filesReached(join(source, start));
  const names = [...files].map((file) => relative(source, file));
  expect(names.filter((name) => name.startsWith('geth/'))).toEqual(['geth/fields.ts']);
  expect(names.filter((name) => name.startsWith('standalone/') || name.startsWith('archive/'))).toEqual([]);
  expect([...outside].filter((specifier) => /^@switchyard\/rollup(\/node)?$/.test(specifier))).toEqual([]);
});

test.each([
  [
    'explorer',
    [
      ...['archive/archive.ts', 'archive/read-only.ts'],
      ...['embedded/parts.ts', 'execution/worker.ts', 'geth/explorer-methods.ts', 'geth/parts.ts', 'standalone/run.ts'],
      ...['threads/answering.ts'],
    ],
  ],
  ['geth', ['config.ts', 'node/node.ts']],
  ['archive', []],
  ['execution', ['embedded/parts.ts']],
  ['standalone', []],
])('in evm, only the composition roots and the helpers of tests import %s/', (folder, roots) => {
  const source = join(root, 'packages', 'evm', 'src');
  const imports = new RegExp(`(?:from |import\\()'(?:[^']*/)?${folder}/`);
  const importers = sourcesIn(source)
    .map((file) => relative(source, file))
    .filter((file) => !file.startsWith(`${folder}/`) && !/\.(test|suite)\.ts$/.test(file))
    .filter((file) => imports.test(readFileSync(join(source, file), 'utf8')));
  expect(importers.filter((file) => !/(^|\/)testing(\/|\.ts$)/.test(file)).sort()).toEqual(roots);
});

test.each([...Object.keys(MAY_IMPORT).map((name) => join('packages', name)), 'e2e'])(
  'no file of %s imports itself through others, for types either',
  (directory) => {
    expect(importCycles(join(root, directory))).toEqual([]);
  },
);

test('finds import cycles of any length, through types, re-exports and import()', () => {
  const directory = mkdtempSync(join(tmpdir(), 'cycles-'));
  mkdirSync(join(directory, 'in'));
  const files = {
    'a.ts': "import type { B } from './in/b.ts';",
    'in/b.ts': "export {\n  c,\n} from './c.ts';",
    'in/c.ts': "const a = await import('../a.ts');",
    'd.ts': "import { a } from './a.ts';\nimport './e.ts';",
    'e.ts': "export type D = import('./d.ts').D;",
    'f.ts': "import { a } from './a.ts';\nimport { f } from 'f';",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  expect(importCycles(directory)).toEqual([
    ['a.ts', 'in/b.ts', 'in/c.ts'],
    ['d.ts', 'e.ts'],
  ]);
});

test('versions are exact', () => {
  const loose = Object.keys(MAY_IMPORT).flatMap((name) => {
    const { dependencies = {}, devDependencies = {} } = getManifest(name);
    return Object.entries({ ...dependencies, ...devDependencies })
      .filter(([, version]) => !/^(npm:@?[\w./-]+@)?\d+\.\d+\.\d+$/.test(version))
      .map(([dependency, version]) => `${name}: ${dependency} ${version}`);
  });
  expect(loose).toEqual([]);
});

/** Packages whose processes are simulated, and files of them that are not: they talk to the world outside, or seal it. */
const SIMULATED = [
  ...['client', 'composer', 'conductor', 'da', 'evm', 'evm-machine', 'faucet', 'machine', 'messenger', 'relayer'],
  ...['rollup', 'sequencer', 'withdrawer'],
];
const REAL =
  /composer\/src\/evm\/|rollup\/src\/live\/browser\/|evm\/src\/threads\/|sealed-world\.ts$|\.suite\.ts$|\.test\.ts$|testing/;

test('time, timers and chance of what is simulated come from one place', () => {
  const found = SIMULATED.flatMap((name) => sourcesIn(join(root, 'packages', name, 'src')))
    .filter((path) => !REAL.test(path))
    .flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => /(?<![.\w])(setTimeout|setInterval|setImmediate|performance\.now|Math\.random)\b/.test(line))
        .map((line) => `${relative(root, path)}: ${line.trim()}`),
    );
  expect(found).toEqual([]);
});
