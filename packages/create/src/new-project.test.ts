import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAMS } from '@switchyard/stack/programs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newProject, ProjectNotCreated, RESERVED, TEMPLATES } from './new-project.ts';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'switchyard-new-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const wanted = { name: 'my-rollup', install: false, note: () => undefined };
const refused = async (changes: Partial<Parameters<typeof newProject>[0]>) => {
  const error: unknown = await newProject({ ...wanted, ...changes }, place).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ProjectNotCreated);
  return error instanceof Error ? error.message : '';
};
const jsonIn = (...path: string[]): unknown => JSON.parse(readFileSync(join(place, ...path), 'utf8'));

// Defect: The program of a project was called as its template
test.each(TEMPLATES)('a project of the template %s has its name as package and as rollup', async (template) => {
  const made = await newProject({ ...wanted, template }, place);
  expect(made).toEqual({
    ...{ name: 'my-rollup', template, directory: join(place, 'my-rollup') },
    next: ['cd my-rollup', 'npm install', 'npm start', 'npm test'],
  });
  const files = readdirSync(made.directory);
  for (const file of ['.gitignore', 'AGENTS.md', 'README.md', 'src', 'start.mjs', 'tsconfig.json'])
    expect(files).toContain(file);
  expect(files).not.toContain('gitignore');
  expect(jsonIn('my-rollup', 'package.json')).toMatchObject({ name: 'my-rollup', private: true });
  if (template !== 'evm') {
    expect(readdirSync(join(made.directory, 'bin'))).toEqual(['my-rollup.mjs']);
    expect(jsonIn('my-rollup', 'package.json')).toMatchObject({ bin: { 'my-rollup': 'bin/my-rollup.mjs' } });
    const pages = files
      .filter((file) => file.endsWith('.md'))
      .map((file) => readFileSync(join(made.directory, file), 'utf8'));
    expect(pages.join('\n')).not.toContain(`bin/${template}.mjs`);
  }
  const named = template === 'evm' ? "evm({ name: 'my-rollup' })" : '"rollup_name": "my-rollup"';
  expect(readFileSync(join(made.directory, template === 'evm' ? 'start.mjs' : 'genesis.json'), 'utf8')).toContain(
    named,
  );
  expect(readFileSync(join(made.directory, 'README.md'), 'utf8')).toMatch(/^# my-rollup\n/);
});

test.each([
  ['My-Rollup', 'name: expected at most 32 lower-case letters, digits and hyphens, a letter first, got "My-Rollup"'],
  ['../there', 'name: expected at most 32 lower-case letters, digits and hyphens, a letter first, got "../there"'],
  ['', 'name: expected at most 32 lower-case letters, digits and hyphens, a letter first, got ""'],
  ['sequencer', 'name: "sequencer" is a part of every network: choose another name'],
  ['my-conductor', 'name: "my-conductor" is a part of every network: choose another name'],
  ['http', 'name: "http" is a module of Node: choose another name'],
])('the name %j is refused', async (name, message) => {
  expect(await refused({ name })).toBe(message);
  expect(readdirSync(place)).toEqual([]);
});

test('a template that is unknown is refused with those that there are', async () => {
  expect(await refused({ template: 'chess' })).toBe(
    'template: expected counter, token, orderbook, market, evm, got "chess"',
  );
  expect(readdirSync(place)).toEqual([]);
});

test('a directory that is not empty stays as it is', async () => {
  mkdirSync(join(place, 'taken'));
  writeFileSync(join(place, 'taken', 'mine.txt'), 'mine');
  expect(await refused({ directory: 'taken' })).toBe(
    'taken: expected an empty directory, or none: choose another name or directory',
  );
  expect(await refused({ directory: 'taken/mine.txt' })).toBe('taken/mine.txt: expected an empty directory, or none');
  expect(readdirSync(join(place, 'taken'))).toEqual(['mine.txt']);
});

test('a directory that cannot be made is one line', async () => {
  writeFileSync(join(place, 'file'), '');
  expect(await refused({ directory: 'file/below' })).toMatch(/^file\/below: E\w+: /);
  expect(existsSync(join(place, 'file', 'below'))).toBe(false);
});

test('names of all parts of a network are reserved, but those of rollups', () => {
  expect([...RESERVED].sort()).toEqual(
    Object.keys(PROGRAMS)
      .filter((name) => !/^(messenger|evm)$/.test(name))
      .sort(),
  );
});
