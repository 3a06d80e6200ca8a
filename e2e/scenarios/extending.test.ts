import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root, run } from '../support/network.ts';
import { type PageChange, pageChanges } from '../support/page-changes.ts';

/** `docs/how-to/add-actions-and-queries.md` in a copy of the repository: its changes in order, with builds between them, and the tests it adds. */
const copy = mkdtempSync(join(tmpdir(), 'switchyard-extending-'));
const packages = ['protocol', 'storage', 'machine', 'service', 'client', 'rollup', 'sequencer', 'messenger'];
/** Packages that the page or the generated modules change and no build here needs, and others that these import. */
const unbuilt = ['evm-machine', 'composer', 'stack'];
const unchanged = ['da', 'relayer', 'conductor', 'evm', 'withdrawer', 'faucet', 'explorer'];
/** Several builds of eight packages, also on a busy machine. */
const BUILDS_MS = 600_000;
const left: PageChange[] = pageChanges(
  readFileSync(join(root, 'docs', 'how-to', 'add-actions-and-queries.md'), 'utf8'),
);

const node = (script: string, ...args: string[]) => run(process.execPath, [join(copy, script), ...args]);

beforeAll(() => {
  const made = /\/(node_modules|dist|[^/]+\.tsbuildinfo)$/;
  const files = ['scripts', 'package.json', 'tsconfig.base.json', 'vitest.config.ts', 'buf.yaml', 'buf.gen.yaml'];
  for (const path of [...files, ...[...packages, ...unbuilt].map((name) => join('packages', name))]) {
    cpSync(join(root, path), join(copy, path), { recursive: true, filter: (from) => !made.test(relative(root, from)) });
  }
  mkdirSync(join(copy, 'node_modules', '@switchyard'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@switchyard') symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
  }
  const link = (from: string, name: string) =>
    symlinkSync(join(from, 'packages', name), join(copy, 'node_modules', '@switchyard', name));
  for (const name of [...packages, ...unbuilt]) link(copy, name);
  for (const name of unchanged) {
    symlinkSync(join(root, 'packages', name), join(copy, 'packages', name));
    link(copy, name);
  }
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Applies the changes of the page up to and including the first of this file. */
function applyThrough(file: string): void {
  for (;;) {
    const change = left.shift();
    if (change === undefined) throw new Error(`the page does not change ${file} after what was applied`);
    const path = join(copy, change.file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, change.kind === 'new' ? change.text : change.apply(readFileSync(path, 'utf8')));
    if (change.file === file) return;
  }
}

/** @returns the source files that do not compile. */
async function build(): Promise<string[]> {
  const tsc = 'node_modules/typescript/bin/tsc';
  const projects = ['sequencer', 'messenger'].map((name) => join(copy, 'packages', name));
  const { stdout } = await node(tsc, '-b', '--pretty', 'false', ...projects);
  const errors = stdout.matchAll(/^\S*(packages\/\S+\.ts)\(\d+,\d+\): error/gm);
  return [...new Set([...errors].map(([, file = '']) => file))].sort();
}

async function generate(): Promise<void> {
  expect(await node('scripts/gen.mjs')).toMatchObject({ status: 0 });
}

test('an action of the sequencer: the build names what is missing, until nothing is', {
  timeout: BUILDS_MS,
}, async () => {
  expect(await build()).toEqual([]);
  applyThrough('packages/protocol/proto/astria/protocol/transaction/v1/transaction.proto');
  await generate();
  expect(await build(), 'a fee is missing as well').toEqual(
    expect.arrayContaining(['packages/protocol/src/actions/fee-name.ts', 'packages/protocol/src/actions/registry.ts']),
  );
  applyThrough('packages/protocol/proto/astria/protocol/transaction/v1/transaction.proto');
  await generate();
  expect(await build()).toContain('packages/protocol/src/actions/registry.ts');
  applyThrough('packages/protocol/src/actions/registry.ts');
  expect(await build()).toEqual(['packages/protocol/src/testing.ts', 'packages/sequencer/src/app/actions/registry.ts']);
  applyThrough('packages/sequencer/src/app/actions/registry.ts');
  applyThrough('packages/sequencer/src/app/actions/registry.ts');
  expect(await build()).toEqual([]);
  applyThrough('packages/sequencer/src/app/actions/burn.test.ts');
});

test('an action and a query of the messenger', { timeout: BUILDS_MS }, async () => {
  applyThrough('packages/messenger/src/actions/set-profile.test.ts');
  expect(await build()).toEqual([]);
});

test('a setting that follows from another process', () => {
  applyThrough('packages/stack/src/composer-explorer.test.ts');
});

test('the tests of the page pass, and pinned hashes are as they were', { timeout: BUILDS_MS }, async () => {
  expect(left).toEqual([]);
  const tests = [
    'packages/protocol/src/actions/actions.test.ts',
    'packages/sequencer/src/app/actions/burn.test.ts',
    'packages/sequencer/src/app/vectors.test.ts',
    'packages/messenger/src/actions/set-profile.test.ts',
    'packages/messenger/src/vectors.test.ts',
    'packages/stack/src/composer-explorer.test.ts',
  ];
  const args = ['run', '--root', copy, '--project', 'unit', '--testTimeout', '60000', '--reporter', 'json', ...tests];
  const { stdout, stderr } = await node('node_modules/vitest/vitest.mjs', ...args);
  // Vitest's own report.
  const report = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { numPassedTests: number; numTotalTests: number };
  expect(report.numPassedTests, stderr).toBe(report.numTotalTests);
  expect(report).toMatchObject({ success: true, numTotalTestSuites: expect.any(Number) });
});
