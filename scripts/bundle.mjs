// Bundles what users run, so that a process reads a few files at its start instead of some hundreds, which takes half of the
// processor time. Needs the build. Usage: node scripts/bundle.mjs
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { refuseTests } from './packing/test-files.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const packages = join(root, 'packages');

/** A flat directory, in which one file needs no more than the name of another. */
export const programs = join(packages, 'cli', 'dist', 'programs');

/** Libraries that stay outside: with native parts or WebAssembly, or large and of use to few commands. */
const OUTSIDE = [
  ...['lmdb', 'libsql', 'mcl-wasm', 'secp256k1', 'sodium-native', 'node-gyp-build'],
  ...['quickjs-emscripten-core', '@jitl/quickjs-wasmfile-release-sync'],
  ...['@aws-sdk/client-s3', '@kubernetes/client-node', 'pg', 'solc'],
];
const isOutside = (specifier) =>
  specifier.startsWith('node:') || OUTSIDE.some((name) => specifier === name || specifier.startsWith(`${name}/`));

/** The commands; all other entries are found by their names or by the references of files that start them. */
const COMMANDS = ['switchyard', 'rollup-cli'].map((name) => join(packages, 'cli', 'dist', `${name}.js`));

/**
 * Programs that are small, often started, and start no other. They share no files with others: what many share is cut into many
 * small files, and a command takes longer to find those than to run.
 */
const ALONE = ['rollup-cli'];

/** A program of its own, a thread's or a child's, by the file that starts it. */
const STARTED = /new URL\('(\.\/[^']+\.js)', import\.meta\.url\)/g;

/** @returns {Map<string, string>} names of the bundles' entries, `evm-standalone-main`, say, by their built files. */
function entries() {
  const found = [...COMMANDS];
  for (const name of readdirSync(packages)) {
    const sources = join(packages, name, 'src');
    for (const file of readdirSync(sources, { recursive: true })) {
      // Sources, since the build may still have files whose sources are gone.
      if (!file.endsWith('.ts') || /\.(test|testing|suite)\.ts$|(^|\/)testing(\/|\.)/.test(file)) continue;
      const built = join(packages, name, 'dist', file.replace(/\.ts$/, '.js'));
      if (/(^|[/-])main\.ts$/.test(file) && built !== join(packages, 'cli', 'dist', 'main.js')) found.push(built);
      for (const [, started] of readFileSync(join(sources, file), 'utf8').matchAll(STARTED))
        found.push(resolve(dirname(built), started));
    }
  }
  return new Map(found.map((file) => [file, nameOf(file)]));
}

const nameOf = (file) => {
  const [name, , ...path] = relative(packages, file).split(sep);
  return [...(name === 'cli' ? [] : [name]), ...path].join('-').slice(0, -'.js'.length);
};

/** Lets references to other files lead from the bundle to their targets from the module: to its entry, or its old place. */
function places(names) {
  return {
    name: 'places',
    transform(code, id) {
      if (!code.includes('import.meta.')) return null;
      const moved = code.replace(STARTED, (whole, path) => {
        const name = names.get(resolve(dirname(id), path));
        return name === undefined ? whole : `new URL('./${name}.js', import.meta.url)`;
      });
      const place = names.has(id) ? `./${names.get(id)}.js` : relative(programs, id);
      const at = (path) => `new URL(${JSON.stringify(path)}, import.meta.url)`;
      return moved
        .replace(/(?<!new URL\('\.\/[^']+\.js', )import\.meta\.url/g, `${at(place)}.href`)
        .replace(/import\.meta\.dirname/g, `decodeURIComponent(${at(dirname(place))}.pathname)`);
    },
  };
}

/**
 * Lets `import()` take all of a module. Otherwise Rolldown may put a module that one program and an unused export need into that
 * program, and has the importer load, and so start, it.
 */
const wholeImports = {
  name: 'whole-imports',
  transform: (code, id) =>
    id.startsWith(packages) ? code.replace(/\bimport\(('[^'\n]+')\)/g, 'import($1).then((all) => all)') : null,
};

/** Whether something was built, or a bundled file was changed, after the bundles were made. */
export function isOld() {
  if (!existsSync(programs)) return true;
  const made = statSync(programs).mtimeMs;
  // Libraries are inside.
  const rules = [fileURLToPath(import.meta.url), join(root, 'package-lock.json')];
  if (rules.some((file) => statSync(file).mtimeMs > made)) return true;
  return readdirSync(packages).some((name) => {
    const dist = join(packages, name, 'dist');
    // Pages are built on their own, after the libraries.
    if (name === 'web' || !existsSync(dist)) return false;
    return readdirSync(dist, { recursive: true }).some(
      (file) => file.endsWith('.js') && !file.startsWith('programs') && statSync(join(dist, file)).mtimeMs > made,
    );
  });
}

/** @throws if a chunk imports the code of a program, which would start inside another one. @param names Those of `entries`. */
function refuseStarts(output, names) {
  const starts = [...names].flatMap(([file, name]) => {
    const chunk = COMMANDS.includes(file) ? undefined : output.find(({ moduleIds = [] }) => moduleIds.includes(file));
    const importers = output.filter(({ imports = [], dynamicImports = [] }) =>
      [...imports, ...dynamicImports].includes(chunk?.fileName),
    );
    return importers.filter((importer) => importer.name !== name).map(({ fileName }) => `${fileName} imports ${name}`);
  });
  if (starts.length > 0) throw new Error(`bundles that would start another program: ${starts.join(', ')}`);
}

async function bundle() {
  // Not before the dependencies are installed.
  const { rolldown } = await import('rolldown');
  const names = entries();
  const unfinished = mkdtempSync(`${programs}.`);
  try {
    const small = [...names].filter(([, name]) => ALONE.includes(name));
    const others = [...names].filter((entry) => !small.includes(entry));
    const output = [];
    for (const inputs of [others, ...small.map((entry) => [entry])]) {
      const made = await rolldown({
        input: Object.fromEntries(inputs.map(([file, name]) => [name, file])),
        platform: 'node',
        external: isOutside,
        plugins: [places(names), wholeImports],
      });
      // Docstrings of libraries are for their sources; licences stay.
      const form = { format: 'esm', chunkFileNames: 'shared-[hash].js', comments: { jsdoc: false } };
      output.push(...(await made.write({ dir: unfinished, ...form })).output);
      await made.close();
    }
    refuseStarts(output, names);
    refuseTests(output.flatMap(({ moduleIds = [] }) => moduleIds).filter((id) => id.startsWith(packages)));
    // A container runs them as another user than the packing one.
    chmodSync(unfinished, 0o755);
    rmSync(programs, { recursive: true, force: true });
    renameSync(unfinished, programs);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Around a run of scenarios, whose processes are started from the bundles. */
export default function setup() {
  if (isOld()) return bundle();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle();
