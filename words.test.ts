import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';

const root = import.meta.dirname;

/** The left column of the glossary in docs/style.md: what is written between backquotes, in lower case. */
const glossary =
  readFileSync(join(root, 'docs', 'style.md'), 'utf8')
    .split('### Not used')[1]
    ?.split('\n## ')[0] ?? '';
const REPLACED = [...glossary.matchAll(/^\| (`.+`) \| (.+) \|$/gm)].flatMap(([, words = '', use = '']) =>
  [...words.matchAll(/`([^`]+)`/g)].map(([, word = '']) => ({ word, use, pattern: new RegExp(`\\b${word}\\b`) })),
);

/** Lines that are yet to be replaced, in packages and folders. A number may only go down; new code has none. */
const ALLOWED: Readonly<Record<string, number>> = {
  'packages/composer': 2,
  'packages/evm': 2,
  'packages/rollup': 4,
  'packages/sequencer': 2,
};

/** The words of a line of code or prose, those of identifiers too: `isToldOnce` is `is told once`. */
const wordsOf = (line: string) => line.replace(/(?<=[a-z\d])(?=[A-Z])|_/g, ' ').toLowerCase();

function files(directory: string): string[] {
  return readdirSync(directory).flatMap((name) => {
    if (['node_modules', 'dist', 'gen', 'testdata'].includes(name) || name.startsWith('.')) return [];
    const path = join(directory, name);
    // Copies of docs/ that the build of the site makes.
    if (relative(root, path) === 'site/pages') return [];
    if (statSync(path).isDirectory()) return files(path);
    // The page that lists the words, this file, and a record of what was released with them.
    if (['docs/style.md', 'CHANGELOG.md', 'words.test.ts'].includes(relative(root, path))) return [];
    return /\.(tsx?|mjs|md)$/.test(name) ? [path] : [];
  });
}

/** `packages/<name>`, `examples/<name>`, or the folder at the root. */
const placeOf = (path: string) => (path.match(/^(?:packages|examples)\/[^/]+|^[^/]+(?=\/)/) ?? ['.'])[0];

const found = new Map<string, string[]>();
for (const file of files(root)) {
  const path = relative(root, file);
  const place = placeOf(path);
  if (!found.has(place)) found.set(place, []);
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    const words = wordsOf(line);
    const hit = REPLACED.find(({ pattern }) => pattern.test(words));
    if (hit !== undefined)
      found.get(place)?.push(`${path}:${index + 1}: not "${hit.word}", but ${hit.use}: ${line.trim()}`);
  }
}

test('the glossary has words to avoid', () => {
  expect(REPLACED.length).toBeGreaterThan(15);
});

test.each([
  ['// It was told so.', 'told'],
  ['  #isTold = false;', 'told'],
  ['const TOLD_ONCE = 1;', 'told'],
  ["log.info('it goes on');", 'goes on'],
])('finds what is not used in: %s', (line, word) => {
  expect(REPLACED.filter(({ pattern }) => pattern.test(wordsOf(line))).map((entry) => entry.word)).toEqual([word]);
});

test.each([...found.keys()])('%s has the terms of the glossary', (place) => {
  const places = found.get(place) ?? [];
  const allowed = ALLOWED[place] ?? 0;
  expect(places.length, `at most ${allowed}:\n${places.join('\n')}\n`).toBeLessThanOrEqual(allowed);
});
