import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/*
 * Our packages are in no registry. A command that takes one from there reaches whatever a stranger publishes under the name.
 */

const root = import.meta.dirname;
const PLACES = ['.github', 'deploy', 'docs', 'examples', 'packages', 'site', 'scripts', 'e2e/README.md'];
const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'package.json'];
const READ = /\.(md|tsx?|mjs|json|toml|yaml|yml|sh|html)$/;
const NOT_READ = /(^|\/)(node_modules|dist|gen|measurements|testdata)\/|\.test\.ts$|\.suite\.ts$|tsbuildinfo$/;

/** Names under which our packages would be published. */
const OURS = String.raw`(?:@switchyard\/[\w-]+|create-switchyard|switchyard|rollup-cli)(?![\w-]*\.tgz|[-\w]*\/)\b`;
const TAKEN_FROM_A_REGISTRY = [
  /\bnpm (?:create|init) (?:\S+ )*\S*switchyard/,
  new RegExp(String.raw`\bnpm (?:i|install|add|exec|x|view|pack)\b(?:(?! [|&;] )[^\n\x60])*? ${OURS}(?!-)`),
  new RegExp(String.raw`\bnpx (?:-y |--yes |-p |--package[ =])+${OURS}`),
  new RegExp(String.raw`\bnpx ${OURS}@`),
];
const CALLED_BY_NPX = new RegExp(String.raw`\bnpx ${OURS}`);
const INSTALLED = /\bnpm (?:start|ci)\b/;

const files = [
  ...PAGES,
  ...PLACES.flatMap((place) =>
    place.endsWith('.md')
      ? [place]
      : readdirSync(join(root, place), { recursive: true, encoding: 'utf8' }).map((file) => `${place}/${file}`),
  ),
].filter((file) => READ.test(file) && !NOT_READ.test(file));

/** Commands of a text that take a package of ours from a registry, or may do so where it is not installed. */
function strangersIn(file: string, text: string): string[] {
  let isInstalled = false;
  return text.split('\n').flatMap((line, index) => {
    if (INSTALLED.test(line)) isInstalled = true;
    // Sources print `npx` where it finds the program.
    const mayBeAbsent = !isInstalled && /\.md$|^examples\//.test(file) && CALLED_BY_NPX.test(line);
    const isTaken = TAKEN_FROM_A_REGISTRY.some((pattern) => pattern.test(line));
    return isTaken || mayBeAbsent ? [`${file}:${index + 1}: ${line.trim()}`] : [];
  });
}

// Defect: Pages named commands that reach a stranger's package
test('no page, help text, template or message names a command that takes our packages from a registry', () => {
  expect(files.length).toBeGreaterThan(1_000);
  expect(files.flatMap((file) => strangersIn(file, readFileSync(join(root, file), 'utf8')))).toEqual([]);
});

test.each([
  ['npm create switchyard@latest my-rollup', 1],
  ['npm install --save-dev switchyard', 1],
  ['npm install --save-dev @switchyard/network vitest', 1],
  ['`npx --yes rollup-cli query texts`', 1],
  ['npx switchyard@0.1.0 up', 1],
  ['npx rollup-cli query texts', 1],
  ['Run `npm start`, then `npx rollup-cli query texts`', 0],
  ['npm install -g dist/switchyard-0.1.0.tgz', 0],
  ['npx --no switchyard up', 0],
  ['npm install --save-dev vitest', 0],
])('finds in: %s', (line, count) => {
  expect(strangersIn('docs/x.md', line)).toHaveLength(count);
});
