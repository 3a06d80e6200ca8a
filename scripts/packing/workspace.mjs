// The workspaces as packing sees them: manifests, the files of a package that its entries reach, and what those import.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { root } from '../prepare.mjs';

export const SCOPE = '@switchyard/';
export const packages = join(root, 'packages');
export const readManifest = (directory) => JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
export const manifestOf = (name) => readManifest(join(packages, name));
export const packageOf = (file) => relative(packages, file).split('/')[0];

/** Only for work inside the repository: the sources are nowhere else. */
const SOURCE = 'switchyard-source';

const FORMS = [
  /^\s*(?:import|export)\s[^'"`;]*?\sfrom\s+['"]([^'"]+)['"]/gm,
  /^\s*import\s+['"]([^'"]+)['"]/gm,
  /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g,
  /new URL\(\s*['"](\.[^'"]+\.js)['"],\s*import\.meta\.url/g,
];

export function importsOf(text) {
  return FORMS.flatMap((form) => [...text.matchAll(form)].map((match) => match[1]));
}

/** `@scope/name` or `name` of what a bare specifier imports from. */
export const libraryOf = (specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

/** An `exports` or `imports` table without the conditions that only this repository uses. */
export function withoutConditions(table, dropped = [SOURCE]) {
  return Object.fromEntries(
    Object.entries(table ?? {}).map(([key, conditions]) => [
      key,
      Object.fromEntries(Object.entries(conditions).filter(([condition]) => !dropped.includes(condition))),
    ]),
  );
}

/** Path at which Node finds it from this file; the targets of all conditions if a package has several. */
export function targetsOf(specifier, file) {
  const name = packageOf(file);
  if (specifier.startsWith('.')) return [resolve(dirname(file), specifier)];
  if (specifier.startsWith('#')) {
    const { [specifier]: conditions } = withoutConditions(manifestOf(name).imports, [SOURCE, 'types']);
    return Object.values(conditions).map((target) => join(packages, name, target));
  }
  // A symlink of the workspace; the real path is the package's own directory.
  return [createRequire(join(packages, name, 'package.json')).resolve(specifier)];
}

/**
 * Follows imports from files.
 *
 * @param targets Files that a specifier leads to; `undefined` for specifiers that are not followed.
 * @returns the files, and each specifier that was not followed with the package that has it.
 */
export function trace(entries, targets) {
  const files = new Set();
  const outside = [];
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue;
    if (!existsSync(file)) throw new Error(`${file} is absent: build first`);
    files.add(file);
    for (const specifier of importsOf(readFileSync(file, 'utf8'))) {
      if (isBuiltin(specifier)) continue;
      const found = targets(specifier, file);
      if (found === undefined) outside.push({ specifier, name: packageOf(file) });
      else waiting.push(...found);
    }
  }
  return { files, outside };
}

/** A built file as others get it, with its map and its source: an error names a line of it, and an editor opens it. */
export function publishedFiles(file) {
  const source = file.replace(/([\\/])dist([\\/](?!.*[\\/]dist[\\/]))/, '$1src$2').replace(/(\.d\.ts|\.js)$/, '.ts');
  return [file, `${file}.map`, source].filter(existsSync).map((each) => [each, publishedText(each)]);
}

function publishedText(file) {
  const text = readFileSync(file, 'utf8');
  return file.endsWith('.d.ts') ? text.replace(/(['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2') : text;
}
