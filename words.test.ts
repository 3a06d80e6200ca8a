import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';

const root = import.meta.dirname;

/** The phrases between backquotes in the left column of a table in docs/style.md. */
function getTable(heading: string): { phrase: string; use: string }[] {
  const section =
    readFileSync(join(root, 'docs', 'style.md'), 'utf8')
      .split(`### ${heading}\n`)[1]
      ?.split(/\n##+ /)[0] ?? '';
  return [...section.matchAll(/^\| (`[^|]+`) \| ([^|]+) \|/gm)].flatMap(([, phrases = '', use = '']) =>
    [...phrases.matchAll(/`([^`]+)`/g)].map(([, phrase = '']) => ({ phrase, use })),
  );
}

const REPLACED = getTable('Not used').map(({ phrase, use }) => ({
  word: phrase,
  use,
  pattern: new RegExp(`\\b${phrase}\\b`),
}));

/** An idiom matches any form of its verb, and one or two words for `…`. "There is another ..." is plain English. */
const IDIOM = new RegExp(
  `\\b(?:${getTable('Idioms')
    .map(({ phrase }) =>
      phrase
        .replace(/^is another$/, '(?<!there )is another')
        .replace('is', '(?:is|are|was|were|be|been|being)')
        .replace(/\b(?:has|have)$/, '(?:has|have|had)')
        .replace('…', '\\S+(?: \\S+)?'),
    )
    .join('|')})\\b`,
  'i',
);

/** Words that begin a clause instead of a sentence or a noun phrase. */
const OPENING = /^(?:What|Of|Who|Whose|Those|By|As|The same)\b/;

/** The most lines of comment, or quoted texts, with an idiom in 1,000. The number may only go down. */
const IDIOMS_IN_1000 = 2;

/** Lines that are yet to be replaced, in packages and folders. A number may only go down; new code has none. */
const ALLOWED: Readonly<Record<string, number>> = {
  'packages/composer': 2,
  'packages/evm': 2,
  'packages/rollup': 4,
  'packages/sequencer': 2,
};

/** The words of a line of code or prose, those of identifiers too: `isToldOnce` is `is told once`. */
const getWords = (line: string) => line.replace(/(?<=[a-z\d])(?=[A-Z])|_/g, ' ').toLowerCase();

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
const getPlace = (path: string) => (path.match(/^(?:packages|examples)\/[^/]+|^[^/]+(?=\/)/) ?? ['.'])[0];

const found = new Map<string, string[]>();
for (const file of files(root)) {
  const path = relative(root, file);
  const place = getPlace(path);
  if (!found.has(place)) found.set(place, []);
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    const words = getWords(line);
    const hit = REPLACED.find(({ pattern }) => pattern.test(words));
    if (hit !== undefined)
      found.get(place)?.push(`${path}:${index + 1}: not "${hit.word}", but ${hit.use}: ${line.trim()}`);
  }
}

/** The text of a line of comment, or of a comment at the end of a line of code. */
const getComment = (line: string) =>
  /^\s*(?:\/\*+|\*(?!\w)|\/\/)\s*(.*)/.exec(line)?.[1] ?? /\s\/\/ (.*)/.exec(line)?.[1];

/** Quoted text of several words in a line of code, such as a help text or a message. */
const quotedIn = (line: string) =>
  [...line.matchAll(/(['"`])((?:(?!\1).)+ (?:(?!\1).)+ (?:(?!\1).)+)\1/g)].map(([, , text = '']) => text);

const lines = files(root)
  .map((path) => relative(root, path))
  .filter((path) => /^(?:packages\/[^/]+\/src|e2e|scripts)\/.*\.(?:tsx?|mjs)$/.test(path))
  .flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .map((line, index) => ({ line, comment: getComment(line), where: `${path}:${index + 1}` })),
  );

const comments = lines.flatMap(({ comment, where }) => (comment === undefined ? [] : [{ text: comment, where }]));

/** Help texts, messages and texts of pages; names of tests are not among them. */
const texts = lines
  .filter(
    ({ comment, where }) => comment === undefined && /^packages\/(?!.*(?:\.test\.|\.suite\.|testing))/.test(where),
  )
  .flatMap(({ line, where }) => quotedIn(line).map((text) => ({ text, where })));

test('docs/style.md has words and idioms to avoid', () => {
  expect(REPLACED.length).toBeGreaterThan(15);
  expect(getTable('Idioms').length).toBeGreaterThan(15);
});

test.each([
  ['comments', comments],
  ['help texts, messages and pages', texts],
])('%s are in plain English', (_, entries) => {
  const idioms = entries.filter(({ text }) => IDIOM.test(text));
  const rate = (idioms.length * 1000) / entries.length;
  const found = idioms.map(({ text, where }) => `${where}: ${text}`).join('\n');
  expect(rate, `at most ${IDIOMS_IN_1000} in 1,000 of ${entries.length}:\n${found}\n`).toBeLessThanOrEqual(
    IDIOMS_IN_1000,
  );
});

test('no comment opens with a clause', () => {
  expect(comments.filter(({ text }) => OPENING.test(text))).toEqual([]);
});

test.each([
  ['// The file is created where there is none.', 'where there is'],
  [' * Returns the ones that were asked for.', 'ones that'],
  ['const a = 1; // whatever its size', 'whatever'],
  ['// It is restarted if it ends.', undefined],
  ['// There is another one.', undefined],
  ["help: 'prints what is left',", 'what is'],
  ['const whatever = 1;', undefined],
])('finds the idiom in: %s', (line, idiom) => {
  expect(IDIOM.exec(getComment(line) ?? quotedIn(line).join())?.[0]).toBe(idiom);
});

test.each([
  ['// What is kept of blocks.', true],
  ['/** Of the newest ones. */', true],
  [' * The same over WebSocket.', true],
  ['// A submission waits its turn.', false],
])('refuses the opening of a clause in: %s', (line, isRefused) => {
  expect(OPENING.test(getComment(line) ?? '')).toBe(isRefused);
});

test.each([
  ['// It was told so.', 'told'],
  ['  #isTold = false;', 'told'],
  ['const TOLD_ONCE = 1;', 'told'],
  ["log.info('it goes on');", 'goes on'],
])('finds what is not used in: %s', (line, word) => {
  expect(REPLACED.filter(({ pattern }) => pattern.test(getWords(line))).map((entry) => entry.word)).toEqual([word]);
});

test.each([...found.keys()])('%s has the terms of the glossary', (place) => {
  const places = found.get(place) ?? [];
  const allowed = ALLOWED[place] ?? 0;
  expect(places.length, `at most ${allowed}:\n${places.join('\n')}\n`).toBeLessThanOrEqual(allowed);
});
