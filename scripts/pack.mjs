// Makes the package of the command line that works outside the repository: one .tgz for `npm install -g FILE`, with our
// packages inside and third-party libraries as dependencies of exact versions. Usage: npm run pack [-- --out DIR --built]
import { cpSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { copyNotices, json, makePackage, publishedFields, writeFileIn } from './packing/published.mjs';
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
} from './packing/workspace.mjs';
import { prepare, root } from './prepare.mjs';
import { noticesOf, readLock } from './supply-chain.mjs';

const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'dist') },
    built: { type: 'boolean' },
    json: { type: 'boolean' },
  },
});
if (!options.built) prepare();

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

const cli = join(packages, 'cli');
const { ENTRIES } = await import(pathToFileURL(join(cli, 'dist', 'dev', 'services', 'builtin.js')).href);
const bins = manifestOf('cli').bin;
const { files, outside } = trace(
  [...Object.values(bins).map((path) => join(cli, path)), ...ENTRIES],
  (specifier, file) => (/^[.#]|^@switchyard\//.test(specifier) ? targetsOf(specifier, file) : undefined),
);
const libraries = new Map(
  outside.map(({ specifier, name }) => [libraryOf(specifier), versionOf(libraryOf(specifier), name)]),
);

/** Shipped inside, as far as we load it: its package would bring along a library in JavaScript that we do not. */
const NATIVE = 'secp256k1';
libraries.set('node-gyp-build', readLock().packages['node_modules/node-gyp-build'].version);
const NATIVE_PARTS = [
  'bindings.js',
  'lib/index.js',
  'lib/uint8array.js',
  'LICENSE',
  'prebuilds/linux-x64',
  'prebuilds/darwin-arm64',
];

/** @returns its version. */
function copyNative(staging) {
  const native = join(root, 'node_modules', NATIVE);
  const { version, license } = readManifest(native);
  const to = join('node_modules', NATIVE);
  for (const part of NATIVE_PARTS) cpSync(join(native, part), join(staging, to, part), { recursive: true });
  writeFileIn(staging, join(to, 'package.json'), json({ name: NATIVE, version, license, main: './bindings.js' }));
  return version;
}

/** @returns the names of our packages that are inside. */
function copyOurs(staging) {
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

const made = makePackage(options.out, (staging) => {
  const inside = copyOurs(staging);
  const nativeVersion = copyNative(staging);
  // Beside our packages and not itself one of them: so they lie to each other as they do in the repository.
  for (const [command, path] of Object.entries(bins)) {
    const text = `#!/usr/bin/env node\nimport '../node_modules/${SCOPE}cli/${path.replace(/^\.\//, '')}';\n`;
    writeFileIn(staging, join('bin', `${command}.mjs`), text, { mode: 0o755 });
  }
  const manifest = manifestOf('cli');
  const fields = publishedFields(manifest, 'packages/cli');
  const published = {
    name: 'switchyard',
    ...fields,
    description: readManifest(root).description,
    // Where process groups, signals and the binaries of our libraries are what we have tested or built for.
    os: ['linux', 'darwin'],
    cpu: ['x64', 'arm64'],
    bin: Object.fromEntries(Object.keys(bins).map((command) => [command, `bin/${command}.mjs`])),
    // It has commands and no module to import.
    exports: { './package.json': './package.json' },
    dependencies: {
      ...Object.fromEntries([...libraries].sort(([a], [b]) => (a < b ? -1 : 1))),
      ...Object.fromEntries(inside.map((name) => [name, manifest.version])),
      [NATIVE]: nativeVersion,
    },
    bundleDependencies: [...inside, NATIVE],
  };
  writeFileIn(staging, 'package.json', json(published));
  copyNotices(staging, [cli, root]);
  writeFileSync(join(staging, 'THIRD_PARTY.md'), noticesOf(readLock()));
});
const report = { ...made, libraries: libraries.size };
const kb = (bytes) => `${Math.round(bytes / 1_000)} KB`;
console.log(
  options.json
    ? JSON.stringify(report)
    : `${made.file}: ${kb(made.size)}, unpacked ${kb(made.unpackedSize)} in ${made.files} files; needs ${libraries.size} libraries`,
);
