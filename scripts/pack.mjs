// Makes the package of the command line that works outside the repository: one .tgz for `npm install -g FILE`, with our
// packages inside and third-party libraries as dependencies of exact versions. Usage: npm run pack [-- --out DIR --built]
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { prepare, root } from './prepare.mjs';
import { noticesOf, readLock } from './supply-chain.mjs';

const SCOPE = '@switchyard/';
const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'dist') },
    built: { type: 'boolean' },
    json: { type: 'boolean' },
  },
});
if (!options.built) prepare();

const packages = join(root, 'packages');
const manifestOf = (name) => JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'));
const packageOf = (file) => relative(packages, file).split('/')[0];

/** Files that run, by following imports from the programs; and which of the libraries they import. */
function trace(entries) {
  const files = new Set();
  const libraries = new Map();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue;
    if (!existsSync(file)) throw new Error(`${file} is absent: build first`);
    files.add(file);
    for (const specifier of importsOf(readFileSync(file, 'utf8'))) {
      if (isBuiltin(specifier)) continue;
      if (/^[.#]|^@switchyard\//.test(specifier)) waiting.push(...targets(specifier, file));
      else {
        const library = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
        libraries.set(library, versionOf(library, packageOf(file)));
      }
    }
  }
  return { files, libraries };
}

function importsOf(text) {
  const forms = [
    /^\s*(?:import|export)\s[^'"`;]*?\sfrom\s+['"]([^'"]+)['"]/gm,
    /^\s*import\s+['"]([^'"]+)['"]/gm,
    /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g,
    /new URL\(\s*['"](\.[^'"]+\.js)['"],\s*import\.meta\.url/g,
  ];
  return forms.flatMap((form) => [...text.matchAll(form)].map((match) => match[1]));
}

/** Where Node finds it from this file. */
function targets(specifier, file) {
  if (specifier.startsWith('.')) return [resolve(dirname(file), specifier)];
  if (specifier.startsWith('#')) {
    const { default: target } = manifestOf(packageOf(file)).imports[specifier];
    return [join(packages, packageOf(file), target)];
  }
  // A symlink of the workspace; the real path is the package's own directory.
  return [createRequire(join(packages, packageOf(file), 'package.json')).resolve(specifier)];
}

/** @throws when the package that imports it does not declare it. */
function versionOf(library, name) {
  const version = manifestOf(name).dependencies?.[library];
  if (version === undefined) throw new Error(`packages/${name} imports ${library} and does not declare it`);
  return version;
}

/** What Node needs of a package that is inside another: no dependencies, so that npm fetches none. */
function innerManifest(name, shipped) {
  const { version, license, type, exports, imports } = manifestOf(name);
  const runs = (conditions) => {
    const { 'switchyard-source': _source, types: _types, browser: _browser, ...rest } = conditions;
    return rest;
  };
  const kept = (table, drop) =>
    Object.fromEntries(
      Object.entries(table ?? {})
        .map(([key, conditions]) => [key, runs(conditions)])
        .filter(([, { default: target }]) => !drop || target.includes('*') || shipped.has(target.slice(2))),
    );
  return {
    name: `${SCOPE}${name}`,
    version,
    license,
    type,
    ...(exports && { exports: kept(exports, true) }),
    ...(imports && { imports: kept(imports, false) }),
  };
}

const cli = join(packages, 'cli');
const { ARCHIVE_ENTRY, BLOCK_LOG_ENTRY, BUILTINS } = await import(
  pathToFileURL(join(cli, 'dist', 'dev', 'builtin.js')).href
);
const bins = manifestOf('cli').bin;
const { files, libraries } = trace([
  ...Object.values(bins).map((path) => join(cli, path)),
  ...Object.values(BUILTINS).map(({ entry }) => entry),
  ARCHIVE_ENTRY,
  BLOCK_LOG_ENTRY,
]);

/** Shipped inside, as far as we load it: its package would bring along a library in JavaScript that we do not. */
const NATIVE = 'secp256k1';
libraries.set('node-gyp-build', readLock().packages['node_modules/node-gyp-build'].version);

const staging = mkdtempSync(join(tmpdir(), 'switchyard-pack-'));
try {
  const inner = (name) => join(staging, 'node_modules', `${SCOPE}${name}`);
  const shipped = new Map();
  for (const file of files) {
    const name = packageOf(file);
    const path = relative(join(packages, name), file);
    shipped.set(name, (shipped.get(name) ?? new Set()).add(path));
    const to = join(inner(name), path);
    mkdirSync(dirname(to), { recursive: true });
    // Maps point to sources that are not here.
    writeFileSync(to, readFileSync(file, 'utf8').replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n'));
  }
  // The page that the messenger serves, from beside it.
  cpSync(join(packages, 'web', 'dist'), join(inner('web'), 'dist'), {
    recursive: true,
    filter: (path) => !path.endsWith('.map'),
  });
  shipped.set('web', new Set());
  const names = [...shipped.keys()].sort();
  const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
  for (const name of names) {
    writeFileSync(join(inner(name), 'package.json'), json(innerManifest(name, shipped.get(name))));
  }
  const native = join(root, 'node_modules', NATIVE);
  const { version: nativeVersion, license: nativeLicense } = JSON.parse(
    readFileSync(join(native, 'package.json'), 'utf8'),
  );
  for (const part of [
    'bindings.js',
    'lib/index.js',
    'lib/uint8array.js',
    'LICENSE',
    'prebuilds/linux-x64',
    'prebuilds/darwin-arm64',
  ]) {
    cpSync(join(native, part), join(staging, 'node_modules', NATIVE, part), { recursive: true });
  }
  writeFileSync(
    join(staging, 'node_modules', NATIVE, 'package.json'),
    json({ name: NATIVE, version: nativeVersion, license: nativeLicense, main: './bindings.js' }),
  );
  // Beside our packages and not itself one of them: so they lie to each other as they do in the repository.
  mkdirSync(join(staging, 'bin'));
  for (const [command, path] of Object.entries(bins)) {
    const text = `#!/usr/bin/env node\nimport '../node_modules/${SCOPE}cli/${path.replace(/^\.\//, '')}';\n`;
    writeFileSync(join(staging, 'bin', `${command}.mjs`), text, { mode: 0o755 });
  }
  const { version, license, engines } = manifestOf('cli');
  const inside = names.map((name) => `${SCOPE}${name}`);
  writeFileSync(
    join(staging, 'package.json'),
    json({
      name: 'switchyard',
      version,
      license,
      description: JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).description,
      type: 'module',
      engines,
      // Where process groups, signals and the binaries of our libraries are what we have tested or built for.
      os: ['linux', 'darwin'],
      cpu: ['x64', 'arm64'],
      bin: Object.fromEntries(Object.keys(bins).map((command) => [command, `bin/${command}.mjs`])),
      dependencies: {
        ...Object.fromEntries([...libraries].sort(([a], [b]) => (a < b ? -1 : 1))),
        ...Object.fromEntries(inside.map((name) => [name, version])),
        [NATIVE]: nativeVersion,
      },
      bundleDependencies: [...inside, NATIVE],
    }),
  );
  for (const name of ['LICENSE', 'README.md']) {
    const from = [join(cli, name), join(root, name)].find((path) => existsSync(path));
    if (from !== undefined) cpSync(from, join(staging, basename(from)));
  }
  writeFileSync(join(staging, 'THIRD_PARTY.md'), noticesOf(readLock()));
  const out = resolve(options.out);
  mkdirSync(out, { recursive: true });
  const packed = spawnSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', out], {
    cwd: staging,
    encoding: 'utf8',
  });
  if (packed.status !== 0) throw new Error(`npm pack failed: ${packed.error?.message ?? packed.stderr}`);
  const [{ filename, size, unpackedSize, entryCount }] = [JSON.parse(packed.stdout)].flat();
  const report = { file: join(out, filename), size, unpackedSize, files: entryCount, libraries: libraries.size };
  const kb = (bytes) => `${Math.round(bytes / 1_000)} KB`;
  console.log(
    options.json
      ? JSON.stringify(report)
      : `${report.file}: ${kb(size)}, unpacked ${kb(unpackedSize)} in ${entryCount} files; needs ${libraries.size} libraries`,
  );
} finally {
  rmSync(staging, { recursive: true, force: true });
}
