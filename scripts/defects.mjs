// The defects that were found in this project, each with the test that failed before it was corrected. They stand above the
// tests, as `// Defect: ...`. `npm run site` appends the table to docs/measurements/defects-and-tests.md. Prints it:
// node scripts/defects.mjs
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

const LEFT_OUT = new Set(['node_modules', 'dist', 'gen', 'testdata', 'tools', 'site', 'docs', 'deploy']);
const COMMENT = /^[ \t]*\/\/ Defect: (.+\n(?:[ \t]*\/\/ (?!Defect: |biome-ignore).+\n)*)/gm;
/** A call of a test with the table that may come before its title, or a row of such a table. */
const TITLE =
  /^\s*(?:(?:test|it|describe)(?:\.\w+)*(?:<[\s\S]*?>)??(?:\([\s\S]*?\))??\(|\[)\s*(['`])((?:\\.|(?!\1)[\s\S])*)\1/;

function testFiles(directory) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (LEFT_OUT.has(entry.name) || entry.name.startsWith('.')) return [];
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return testFiles(path);
    return /\.(test|suite)\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

/** @returns Defects with the titles of their tests; a title is absent if no test follows the comment. */
export function defectsIn(text) {
  return [...text.matchAll(COMMENT)].map((match) => {
    const after = text.slice(match.index + match[0].length).replace(/^(?:[ \t]*\/\/.*\n)+/, '');
    return { defect: match[1].trim().replace(/\n\s*\/\/ /g, ' '), title: TITLE.exec(after)?.[2] };
  });
}

/** @param root The directory of the repository. */
export function findDefects(root) {
  return testFiles(root)
    .sort()
    .flatMap((path) => defectsIn(readFileSync(path, 'utf8')).map((each) => ({ file: relative(root, path), ...each })));
}

/** The package that a test belongs to, or the folder at the root. */
function sectionFor(file) {
  const [first, second] = file.split('/');
  if (second === undefined) return 'the repository';
  return first === 'packages' ? second : first;
}

/** A section for each package, with a row for each defect. */
export function defectsPage(root) {
  const sections = new Map();
  for (const { file, defect, title } of findDefects(root)) {
    const name = sectionFor(file);
    const rows = sections.get(name) ?? [];
    sections.set(name, [...rows, `| ${[defect, `\`${file}\`: ${title}`].map(escaped).join(' | ')} |`]);
  }
  return [...sections]
    .map(([name, rows]) => [`## ${name}`, '', '| defect | test |', '|---|---|', ...rows].join('\n'))
    .join('\n\n');
}

const escaped = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  console.log(defectsPage(join(import.meta.dirname, '..')));
