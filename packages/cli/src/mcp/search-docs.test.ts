import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readDocs, searchDocs } from './search-docs.ts';

const place = mkdtempSync(join(tmpdir(), 'switchyard-docs-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

function pages(texts: Readonly<Record<string, string>>) {
  const directory = mkdtempSync(join(place, 'docs-'));
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(join(directory, path, '..'), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return readDocs(directory);
}

test('the section with most words comes first, and a heading counts more than a text', () => {
  const docs = pages({
    'a.md': '# Keys\n\nAbout keys.\n\n## Bundles\n\nEntries.\n',
    'how-to/b.md': '# Fees\n\nKeys of bundles, and fees.\n',
  });
  expect(searchDocs(docs, 'FEES keys bundles')).toEqual([
    { page: 'how-to/b.md', heading: 'Fees', text: 'Keys of bundles, and fees.' },
    { page: 'a.md', heading: 'Keys', text: 'About keys.' },
    { page: 'a.md', heading: 'Bundles', text: 'Entries.' },
  ]);
  expect(searchDocs(docs, 'absent')).toEqual([]);
  expect(searchDocs(docs, '*?')).toEqual([]);
});

test('answers are bounded, in sections and in their texts', () => {
  const docs = pages({ 'long.md': Array.from({ length: 40 }, () => `# Word\n\n${'word '.repeat(2_000)}\n`).join('') });
  const found = searchDocs(docs, 'word');
  expect([found.length, found[0]?.text.length]).toEqual([8, 1_500]);
});

test('measurements are no pages of the search', () => {
  expect(pages({ 'measurements/x.md': '# Word\n', 'y.md': '# Word\n' }).map(({ page }) => page)).toEqual(['y.md']);
});

test('a directory that is not there is named', () => {
  expect(() => readDocs(join(place, 'absent'))).toThrow(`${join(place, 'absent')}: the pages of the documentation`);
});
