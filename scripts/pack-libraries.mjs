// Makes the packages that others import: one .tgz each, with the files that its entries reach, types, and exact versions of its
// dependencies. The manifests in packages/ are private and have a condition for sources, so they are never published unchanged.
// Usage: npm run pack:libraries [-- --out DIR --built --json]
import { cpSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { isForAuthorsTests, isPublished, LIBRARIES } from './packing/libraries.mjs';
import { copyNotices, json, makePackages, publishedFields, writeFileIn } from './packing/published.mjs';
import { refuseTests } from './packing/test-files.mjs';
import {
  libraryOf,
  manifestOf,
  packages,
  publishedFiles,
  SCOPE,
  targetsOf,
  trace,
  withoutConditions,
} from './packing/workspace.mjs';
import { prepare, root } from './prepare.mjs';

/** The `.js` files or the `.d.ts` files that the entries of a package reach inside it, and what they import from elsewhere. */
function reach(name, exports, kind) {
  const isTypes = kind === 'types';
  const entries = Object.values(exports).flatMap((conditions) =>
    Object.entries(conditions)
      .filter(([condition]) => (condition === 'types') === isTypes)
      .map(([, target]) => join(packages, name, target)),
  );
  return trace(entries, (specifier, file) => {
    if (!/^[.#]/.test(specifier)) return undefined;
    const found = targetsOf(specifier, file);
    return isTypes ? found.map((path) => path.replace(/(\.d)?\.[jt]s$/, '.d.ts')) : found;
  });
}

/** @throws when a file imports what the manifest does not declare, or an entry of ours that is not published. */
function dependenciesOf(name, outside) {
  const { dependencies = {}, devDependencies = {} } = manifestOf(name);
  const needed = {};
  const peers = {};
  for (const { specifier } of outside) {
    const library = libraryOf(specifier);
    if (specifier.startsWith(SCOPE)) checkPublished(specifier, library, name);
    if (library in dependencies) needed[library] = dependencies[library];
    else if (library in devDependencies) peers[library] = `^${devDependencies[library]}`;
    else throw new Error(`packages/${name} imports ${specifier} and does not declare ${library}`);
  }
  const sorted = (table) => Object.fromEntries(Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    dependencies: sorted(needed),
    // Only entries for tests need these: their importers have the test tool.
    ...(Object.keys(peers).length > 0 && {
      peerDependencies: sorted(peers),
      peerDependenciesMeta: Object.fromEntries(Object.keys(peers).map((peer) => [peer, { optional: true }])),
    }),
  };
}

function checkPublished(specifier, library, name) {
  const other = library.slice(SCOPE.length);
  const entry = `.${specifier.slice(library.length)}`;
  if (!isPublished(other, entry) || !(entry in manifestOf(other).exports))
    throw new Error(`packages/${name} imports ${specifier}, which is not published`);
}

/** Pages that Vite has built, by the library that serves them. */
const PAGES = { service: 'reference' };

/** @returns what writes the package into a directory. */
function library(name) {
  const manifest = manifestOf(name);
  const exports = Object.fromEntries(
    Object.entries(withoutConditions(manifest.exports)).filter(([entry]) => isPublished(name, entry)),
  );
  const code = reach(name, exports, 'code');
  const types = reach(name, exports, 'types');
  const forUse = Object.fromEntries(Object.entries(exports).filter(([entry]) => !isForAuthorsTests(name, entry)));
  refuseTests([...reach(name, forUse, 'code').files, ...reach(name, forUse, 'types').files]);
  return (staging) => {
    for (const file of [...code.files, ...types.files]) {
      for (const [path, text] of publishedFiles(file)) writeFileIn(staging, relative(join(packages, name), path), text);
    }
    if (name in PAGES) cpSync(join(packages, 'web', 'dist', PAGES[name]), join(staging, 'page'), { recursive: true });
    copyNotices(staging, [join(packages, name), root]);
    const published = {
      name: manifest.name,
      ...publishedFields(manifest, `packages/${name}`),
      files: ['dist', 'src', ...(name in PAGES ? ['page'] : [])],
      exports,
      ...(manifest.imports && { imports: withoutConditions(manifest.imports) }),
      ...dependenciesOf(name, [...code.outside, ...types.outside]),
    };
    writeFileIn(staging, 'package.json', json(published));
  };
}

const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'dist') },
    built: { type: 'boolean' },
    json: { type: 'boolean' },
  },
});
if (!options.built) prepare();
const made = makePackages(options.out, LIBRARIES.map(library));
if (options.json) console.log(JSON.stringify(made));
else for (const { file, size, files } of made) console.log(`${file}: ${Math.ceil(size / 1_000)} KB, ${files} files`);
