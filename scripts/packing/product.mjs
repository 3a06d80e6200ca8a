// What runs of this repository where it is installed: our built files, those that the commands and processes reach, the pages, and
// the third-party libraries that these import.
import { cpSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../prepare.mjs';
import { readLock } from '../supply-chain.mjs';
import { json, writeFileIn } from './published.mjs';
import {
  libraryOf,
  manifestOf,
  packageOf,
  packages,
  publishedText,
  readManifest,
  SCOPE,
  targetsOf,
  trace,
  withoutConditions,
} from './workspace.mjs';

/** @throws when the package that imports it does not declare it. */
function versionOf(library, name) {
  const version = manifestOf(name).dependencies?.[library];
  if (version === undefined) throw new Error(`packages/${name} imports ${library} and does not declare it`);
  return version;
}

/** What Node needs of a package that is inside another: no dependencies, so that npm fetches none. */
function innerManifest(name, shipped) {
  const { version, license, type, exports, imports } = manifestOf(name);
  const runs = (table) => withoutConditions(table, ['switchyard-source', 'types', 'browser']);
  const kept = Object.entries(runs(exports)).filter(
    ([, { default: target }]) => target.includes('*') || shipped.has(target.slice(2)),
  );
  return {
    name: `${SCOPE}${name}`,
    version,
    license,
    type,
    ...(exports && { exports: Object.fromEntries(kept) }),
    ...(imports && { imports: runs(imports) }),
  };
}

/**
 * Follows the imports of the built files.
 *
 * @returns {Promise<Product>}
 * @typedef {object} Product
 * @property {ReadonlySet<string>} files
 * @property {Map<string, string>} libraries Exact versions by name.
 * @property {readonly { library: string, name: string }[]} importers Which of our packages import which library.
 * @property {Record<string, string>} bins Files of `packages/cli` by command.
 * @property {Record<string, { entry: string }>} services
 */
export async function traceProduct() {
  const cli = join(packages, 'cli');
  const { BUILTINS, ENTRIES } = await import(pathToFileURL(join(cli, 'dist', 'dev', 'services', 'builtin.js')).href);
  const bins = manifestOf('cli').bin;
  const { files, outside } = trace(
    [...Object.values(bins).map((path) => join(cli, path)), ...ENTRIES],
    (specifier, file) => (/^[.#]|^@switchyard\//.test(specifier) ? targetsOf(specifier, file) : undefined),
  );
  const libraries = new Map(
    outside.map(({ specifier, name }) => [libraryOf(specifier), versionOf(libraryOf(specifier), name)]),
  );
  libraries.set('node-gyp-build', readLock().packages['node_modules/node-gyp-build'].version);
  const importers = outside.map(({ specifier, name }) => ({ library: libraryOf(specifier), name }));
  return { files, libraries, importers, bins, services: BUILTINS };
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

/** @returns {string[]} the names of our packages, which are below `node_modules`. */
export function copyOurs(staging, { files }) {
  const place = (name) => join('node_modules', `${SCOPE}${name}`);
  const shipped = new Map();
  for (const file of files) {
    const name = packageOf(file);
    const path = relative(join(packages, name), file);
    shipped.set(name, (shipped.get(name) ?? new Set()).add(path));
    writeFileIn(staging, join(place(name), path), publishedText(file));
  }
  // The page that the messenger serves, from beside it.
  cpSync(join(packages, 'web', 'dist'), join(staging, place('web'), 'dist'), {
    recursive: true,
    filter: (path) => !path.endsWith('.map'),
  });
  shipped.set('web', new Set());
  const names = [...shipped.keys()].sort();
  for (const name of names) {
    writeFileIn(staging, join(place(name), 'package.json'), json(innerManifest(name, shipped.get(name))));
  }
  return names.map((name) => `${SCOPE}${name}`);
}

/** Programs in `bin`, each of which loads a file below `node_modules` of ours. */
export function writeBins(staging, targets) {
  // Beside our packages and not itself one of them: so they lie to each other as they do in the repository.
  for (const [command, target] of Object.entries(targets)) {
    const text = `#!/usr/bin/env node\nimport '../node_modules/${SCOPE}${target}';\n`;
    writeFileIn(staging, join('bin', `${command}.mjs`), text, { mode: 0o755 });
  }
}

/** Files of `packages/cli` by command, as `writeBins` takes them. */
export const commandsOf = ({ bins }) =>
  Object.fromEntries(Object.entries(bins).map(([command, path]) => [command, `cli/${path.replace(/^\.\//, '')}`]));
