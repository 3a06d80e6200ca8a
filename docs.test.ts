import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { sourcesIn } from './e2e/support/sources.ts';
import { createCli } from './packages/cli/src/cli.ts';
import { wholeProgram } from './packages/cli/src/commands/completion.ts';
import { FIELDS, KNOWN_SETTINGS, statusOfSetting } from './packages/cli/src/dev/config/known-settings.ts';
import { rollupCli } from './packages/cli/src/rollup-cli.ts';
import { switchyard } from './packages/cli/src/switchyard.ts';
import { processWorld } from './packages/cli/src/world.ts';
import { archiveFields } from './packages/evm/src/archive/config.ts';
import { describeFields } from './packages/service/src/settings.ts';
// @ts-expect-error: a script without types
import { defectsIn, findDefects } from './scripts/defects.mjs';
// @ts-expect-error: a script without types
import { authorExports } from './scripts/framework-reference.mjs';
// @ts-expect-error: a script without types
import { commandsPage, listenersOf, settingsPage } from './scripts/reference.mjs';

const root = import.meta.dirname;
const page = readFileSync(join(root, 'docs/measurements/dev-tool-faults.md'), 'utf8');
const rows = [...page.matchAll(/^\| (\d+) \|.*\| `([^`]+)`: (.+) \|$/gm)].map(
  ([, number = '', file = '', name = '']) => ({
    number: Number(number),
    file: [join(root, file), join(root, 'packages/cli/src', file), join(root, 'packages/cli/src/dev', file)].find(
      existsSync,
    ),
    name,
  }),
);

test('every fault of the list has its row', () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 37 }, (_, index) => index + 1));
});

test.each(rows)('the test that shows fault $number exists: $name', ({ file, name }) => {
  expect(file).toBeDefined();
  expect(readFileSync(file ?? '', 'utf8')).toContain(`'${name}'`);
});

const guarantees =
  readFileSync(join(root, 'docs/explanation/guarantees.md'), 'utf8').split('## Guarantees and their tests')[1] ?? '';
const promises = [...guarantees.matchAll(/^\| (.+) \| (.+) \|$/gm)]
  .map(([, guarantee = '', name = '']) => ({ guarantee, name }))
  .filter(({ guarantee }) => guarantee !== 'guarantee');
const tests = ['packages', 'e2e']
  .flatMap((place) => sourcesIn(join(root, place)))
  .filter((path) => /\.(test|suite)\.tsx?$/.test(path))
  .map((path) => readFileSync(path, 'utf8'));

test('the list of guarantees has rows', () => {
  expect(promises.length).toBeGreaterThan(50);
});

test.each(promises)('a test shows, in few words: $guarantee', ({ guarantee, name }) => {
  expect(tests.some((text) => text.includes(`'${name}'`))).toBe(true);
  expect(guarantee.split(' ').length).toBeLessThanOrEqual(20);
});

const defects: readonly { file: string; defect: string; title?: string }[] = findDefects(root);

test('the comments about defects stand above tests', () => {
  expect(defects.length).toBeGreaterThan(300);
  expect(defects.filter(({ title }) => title === undefined)).toEqual([]);
});

test.each([
  ["// Defect: A stop took\n// 10 s\ntest('it stops at once', () => {", 'A stop took 10 s', 'it stops at once'],
  [
    "// Defect: Late\ntest.each<[() => void, string]>([\n  [run, 'a'],\n])('%s is early', (run) => {",
    'Late',
    '%s is early',
  ],
  ["  // Defect: A row\n  ['an unlock', 12n],", 'A row', 'an unlock'],
  ['// Defect: Gone\nconst rows = 1;', 'Gone', undefined],
])('a defect is found with the title of its test: %j', (text, defect, title) => {
  expect(defectsIn(text)).toEqual([{ defect, title }]);
});

/** Code blocks whose info string names a file, as in ```ts [examples/counter/src/counter.ts]. */
const pages = [
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name)),
  ...readdirSync(join(root, 'packages')).map((name) => join('packages', name, 'README.md')),
  'README.md',
].filter((path) => path.endsWith('.md') && existsSync(join(root, path)));
const listings = pages.flatMap((path) =>
  [...readFileSync(join(root, path), 'utf8').matchAll(/^```\w+ \[(\S+)\]\n([\s\S]*?)^```$/gm)].map(
    ([, file = '', code = '']) => ({ path, file, code }),
  ),
);

test('pages have listings of files', () => {
  expect(listings.length).toBeGreaterThan(4);
});

test.each(listings)('$path shows $file as it is', ({ file, code }) => {
  expect(code.trim()).toBe(readFileSync(join(root, file), 'utf8').trim());
});

const tables = { ...FIELDS, 'evm archive': archiveFields };
const settings = Object.values(tables).flatMap((fields) => Object.values(fields).map(({ names }) => names[0]));
const cli = createCli(processWorld());
const programs = [await wholeProgram((args) => switchyard(cli, args)), rollupCli(cli)];
const reference: string = commandsPage(programs);

test('the reference has every command with its options, and every setting', () => {
  for (const heading of ['## switchyard dev', '### switchyard dev snapshot save', '### rollup-cli submit text'])
    expect(reference).toContain(`\n${heading}\n`);
  expect(reference).toContain('`--port-offset <n>`');
  const page: string = settingsPage(tables, describeFields);
  expect(settings.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
});

const exported: readonly {
  module: string;
  name: string;
  doc: string;
  code: string;
  example?: string;
  isValue: boolean;
}[] =
  // Most exports of this module are for nodes with routes or a machine of their own.
  authorExports().filter(({ module }: { module: string }) => module !== '@switchyard/rollup/node');

test('everything that authors of a rollup import has a description', () => {
  expect(exported.length).toBeGreaterThan(100);
  // A name without code was not found, and would be missing on the page of the framework.
  expect(exported.filter(({ doc, code }) => !/^[A-Z]/.test(doc) || code === '').map(({ name }) => name)).toEqual([]);
});

test('every value that authors of a rollup import is used in its example, or in one that its description names', () => {
  const values = exported.filter(({ isValue }) => isValue);
  expect(values.length).toBeGreaterThan(50);
  const without = values.filter(({ name, doc, example }) => {
    const [, other] = /See the example of\s+`(\w+)`\./.exec(doc) ?? [];
    const shown = example ?? exported.find((each) => each.name === other)?.example;
    return !new RegExp(`\\b${name}\\b`).test(shown ?? '');
  });
  expect(without.map(({ name }) => name)).toEqual([]);
});

test('pages name commands that exist', () => {
  const names = new Set([...reference.matchAll(/^##+ (.+)$/gm)].map(([, name]) => name));
  const unknown = pages.flatMap((path) =>
    [
      ...readFileSync(join(root, path), 'utf8').matchAll(
        /(?<=[`$(] ?|^|npx )(switchyard|rollup-cli)((?: [a-z][a-z-]*)+)/gm,
      ),
    ]
      .map(([, program = '', words = '']) => [program, ...words.trim().split(' ')])
      .filter(([program, first]) => !names.has(`${program} ${first}`))
      .map((words) => `${path}: ${words.join(' ')}`),
  );
  expect(unknown).toEqual([]);
});

test('the page about security has the port of every listener', () => {
  const page = readFileSync(join(root, 'docs/explanation/security.md'), 'utf8');
  const [, table = ''] = page.split('## Ports and permissions');
  const ranges = [...table.matchAll(/^\| ([\d ,to]+) \|/gm)].flatMap(([, cell = '']) =>
    cell.split(', ').map((each) => each.split(' to ').map(Number)),
  );
  const isListed = (port: number) => ranges.some(([first = 0, last = first]) => first <= port && port <= last);
  const listeners: readonly { readonly address: string }[] = listenersOf(tables);
  expect(listeners.length).toBeGreaterThan(20);
  expect(listeners.filter(({ address }) => !isListed(Number(address.split(':').at(-1))))).toEqual([]);
});

test('pages name settings that exist', () => {
  const known = [
    ...Object.values(tables).flatMap((fields) => Object.values(fields).flatMap(({ names }) => names)),
    ...Object.values(KNOWN_SETTINGS).flatMap((table) => [...table.keys()]),
  ];
  const unknown = pages.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/SVC_[A-Z0-9]+_[A-Z0-9_]*/g)]
      .map(([name]) => name)
      // Examples: a process in service's README, a new setting on the page about additions.
      .filter((name) => !name.startsWith('SVC_BOX_') && name !== 'SVC_COMPOSER_EXPLORER_URL')
      // A name that ends in an underscore is the beginning of several.
      .filter((name) => (name.endsWith('_') ? !known.some((each) => each.startsWith(name)) : !known.includes(name)))
      .filter((name) => !['known', 'ignored'].includes(statusOfSetting(name)))
      .map((name) => `${path}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

/** Identifiers of the headings of a page, as GitHub and the site make them. */
function makeAnchors(path: string): Set<string> {
  const text = readFileSync(path, 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\d\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

test('links lead to files and headings that exist', () => {
  const dead = [...pages, 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'e2e/README.md'].flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
    return [...text.matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
      .map(([, file = '', anchor]) => ({
        target: file === '' ? join(root, path) : join(root, dirname(path), file),
        anchor,
      }))
      .filter(({ target, anchor }) => !existsSync(target) || (anchor !== undefined && !makeAnchors(target).has(anchor)))
      .map(({ target, anchor }) => `${path}: ${target}#${anchor ?? ''}`);
  });
  expect(dead).toEqual([]);
});

test('every page is on the first one', () => {
  const first = ['docs/index.md', 'docs/measurements/index.md']
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n');
  const names = pages.filter((path) => path.startsWith('docs/') && !path.endsWith('index.md'));
  expect(names.filter((path) => !first.includes(`${path.split('/').at(-1)})`))).toEqual([]);
});

test('each page is short enough to be read at once', () => {
  const long = pages
    .filter((path) => path.startsWith('docs/') && !path.startsWith('docs/measurements/'))
    .map((path) => ({ path, bytes: readFileSync(join(root, path)).length }))
    .filter(({ bytes }) => bytes > 12_000);
  expect(long).toEqual([]);
});

test('the changelog is short enough to be read before an upgrade', () => {
  const [, unreleased = ''] = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m);
  expect(unreleased.split('\n').length).toBeLessThanOrEqual(60);
});

// Defect: The listing of the README drifts from the code
test('the rollup in the README is whole: it runs, adds and answers', async () => {
  const [, listing = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const directory = mkdtempSync(join(cache, 'readme-'));
  try {
    const program = `import { testRollup } from '@switchyard/rollup/testing';
import { createSigner } from '@switchyard/protocol';
${listing}
const genesis = { rollup_name: 'counter', sequencer_chain_id: 'c', sequencer_genesis_block_height: 0 };
const node = await testRollup(counter, JSON.stringify(genesis));
await node.client.submit.add({ amount: 5n }, createSigner(new Uint8Array(32).fill(1)), { until: 'accepted' });
await node.block();
const { total: answer } = await node.client.query.total();
await node.stop();
console.log(String(answer));
process.exit(0);
`;
    writeFileSync(join(directory, 'readme.mjs'), program);
    expect(execFileSync(process.execPath, [join(directory, 'readme.mjs')], { encoding: 'utf8' })).toBe('5\n');
  } finally {
    rmSync(directory, { recursive: true });
  }
});
