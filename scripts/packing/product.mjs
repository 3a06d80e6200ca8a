// The part of this repository that runs when installed: the bundles of the commands and processes, the pages, and the
// third-party libraries that the bundles import.
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { programs } from '../bundle.mjs';
import { root } from '../prepare.mjs';
import { readLock } from '../supply-chain.mjs';
import { json, writeFileIn } from './published.mjs';
import { importsOf, libraryOf, manifestOf, packages, readManifest } from './workspace.mjs';

/** The workspace that declares a library. @throws if none does. */
function declarer(library) {
  const name = readdirSync(packages).find((each) => manifestOf(each).dependencies?.[library] !== undefined);
  if (name === undefined) throw new Error(`a bundle imports ${library}, which no package declares`);
  return name;
}

/**
 * @returns {Product} what the bundles import from outside.
 * @typedef {object} Product
 * @property {Map<string, string>} libraries Exact versions by name.
 * @property {readonly { library: string, name: string }[]} importers The libraries with the package that declares each.
 */
export function readProduct() {
  const specifiers = readdirSync(programs).flatMap((file) => importsOf(readFileSync(join(programs, file), 'utf8')));
  const outside = specifiers.filter((specifier) => !specifier.startsWith('.') && !isBuiltin(specifier));
  const importers = [...new Set(outside.map(libraryOf))].map((library) => ({ library, name: declarer(library) }));
  const libraries = new Map(importers.map(({ library, name }) => [library, manifestOf(name).dependencies[library]]));
  libraries.set('node-gyp-build', readLock().packages['node_modules/node-gyp-build'].version);
  return { libraries, importers };
}

/** Shipped inside, as far as we load it: its package would bring along a library in JavaScript that we do not. */
export const NATIVE = 'secp256k1';
const NATIVE_PARTS = [
  'bindings.js',
  'lib/index.js',
  'lib/uint8array.js',
  'LICENSE',
  'prebuilds/linux-x64',
  'prebuilds/darwin-arm64',
];

/** @returns {string} its version. */
export function copyNative(staging) {
  const native = join(root, 'node_modules', NATIVE);
  const { version, license } = readManifest(native);
  const to = join('node_modules', NATIVE);
  for (const part of NATIVE_PARTS) cpSync(join(native, part), join(staging, to, part), { recursive: true });
  writeFileIn(staging, join(to, 'package.json'), json({ name: NATIVE, version, license, main: './bindings.js' }));
  return version;
}

/** Packages whose manifest is read at run time, for the version. */
const VERSIONED = ['cli', 'service', 'stack'];

/** Copies our files to their paths in the repository. */
export function copyOurs(staging) {
  const copy = (place) =>
    cpSync(join(root, place), join(staging, place), { recursive: true, filter: (path) => !path.endsWith('.map') });
  for (const place of ['cli/bin', 'cli/dist/programs', 'web/dist']) copy(join('packages', place));
  copyTemplates(staging);
  // `switchyard mcp` searches the pages.
  for (const page of readdirSync(join(root, 'docs'), { recursive: true }))
    if (page.endsWith('.md') && !page.startsWith('measurements')) copy(join('docs', page));
  for (const each of VERSIONED) {
    const { name, version, license, type, engines } = manifestOf(each);
    writeFileIn(staging, join('packages', each, 'package.json'), json({ name, version, license, type, engines }));
  }
}

const MADE = /\/(node_modules|dist|package-lock\.json)$/;

/** Copies the projects that `switchyard new` copies. */
export function copyTemplates(staging) {
  cpSync(join(root, 'examples'), join(staging, 'examples'), { recursive: true, filter: (path) => !MADE.test(path) });
}
