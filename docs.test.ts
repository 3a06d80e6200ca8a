import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KNOWN_SETTINGS, statusOfSetting } from './packages/cli/src/dev/config/known-settings.ts';
import { fields as localDa } from './packages/da/src/config.ts';
import { describeManifest } from './packages/deployment/src/index.ts';
import { archiveFields } from './packages/evm/src/explorer/archive/config.ts';
import { fields as faucet } from './packages/faucet/src/config.ts';
import { fields as relayerFields } from './packages/relayer/src/config.ts';
import { describeFields } from './packages/service/src/settings.ts';

const root = import.meta.dirname;
const page = readFileSync(join(root, 'docs/decisions/dev-faults.md'), 'utf8');
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

const reliability = readFileSync(join(root, 'docs/reliability.md'), 'utf8');
const defects = [...reliability.matchAll(/^\| (.+) \| `([^`]+\.test\.ts)`: (.+) \|$/gm)].map(
  ([, defect = '', file = '', name = '']) => ({ defect, file, name }),
);

test('the list of defects has rows', () => {
  expect(defects.length).toBeGreaterThan(10);
});

test.each(defects)('the test that shows a defect exists: $defect', ({ file, name }) => {
  expect(readFileSync(join(root, file), 'utf8')).toContain(`'${name}'`);
});

/** Code blocks whose info string names a file, as in ```ts [examples/counter/src/add.ts]. */
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
  expect(listings.length).toBeGreaterThan(10);
});

test.each(listings)('$path shows $file as it is', ({ file, code }) => {
  expect(code.trim()).toBe(readFileSync(join(root, file), 'utf8').trim());
});

/** The table is the output of `--help`, so that it cannot differ from what the process reads. */
test('the page of the faucet has its settings as the process describes them', () => {
  const [table] = /^\| variable \|(?:.*\n)+?(?=\n)/m.exec(readFileSync(join(root, 'docs/faucet.md'), 'utf8')) ?? [];
  expect(table?.trim()).toBe(describeFields(faucet));
});

test('the page about deployments has the keys of a manifest as the table describes them', () => {
  const [table] = /^\| key \| meaning \|(?:.*\n)+/m.exec(readFileSync(join(root, 'docs/evm-rollup.md'), 'utf8')) ?? [];
  expect(table?.trim()).toBe(describeManifest());
});

test('pages name settings that exist', () => {
  const others = [archiveFields, localDa, relayerFields].flatMap((fields) =>
    Object.values(fields).flatMap(({ names }) => names),
  );
  const known = [...others, ...Object.values(KNOWN_SETTINGS).flatMap((settings) => [...settings.keys()])];
  const unknown = pages.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/SVC_[A-Z0-9]+_[A-Z0-9_]*/g)]
      .map(([name]) => name)
      // An example of a process in service's README.
      .filter((name) => !name.startsWith('SVC_BOX_'))
      // What ends in an underscore is the beginning of several.
      .filter((name) => (name.endsWith('_') ? !known.some((each) => each.startsWith(name)) : !known.includes(name)))
      .filter((name) => !['known', 'ignored'].includes(statusOfSetting(name)))
      .map((name) => `${path}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('every page has a place in the sidebar of the site', () => {
  const sidebar = readFileSync(join(root, 'site/.vitepress/config.mjs'), 'utf8');
  const names = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md') && name !== 'index.md');
  expect(names.map((name) => name.slice(0, -'.md'.length)).filter((name) => !sidebar.includes(`'${name}'`))).toEqual(
    [],
  );
});
