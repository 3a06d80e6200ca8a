// Third-party packages in node_modules: which ones a program needs, and which of their files run.
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { root } from '../prepare.mjs';

/**
 * Files that Node loads for these imports, followed through all dependencies as Node looks for them.
 *
 * @param {{ packages: Record<string, any> }} lock
 * @param {readonly { from: string, name: string }[]} imports From which place of the lock file: `packages/<name>`.
 * @param {(path: string) => boolean} isInstalled Optional packages of other systems are not.
 * @returns {string[]} places in the lock file, sorted
 * @throws when a required one is missing.
 */
export function closureOf(lock, imports, isInstalled = (path) => existsSync(join(root, path))) {
  const found = new Set();
  const waiting = imports.map((each) => ({ ...each, optional: false }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { from, name, optional } = next;
    const place = placesOf(from, name).find((each) => lock.packages[each] !== undefined && isInstalled(each));
    if (place === undefined) {
      if (optional) continue;
      throw new Error(`${from} needs ${name}, which is not installed: run npm ci`);
    }
    if (found.has(place)) continue;
    found.add(place);
    const {
      dependencies = {},
      optionalDependencies = {},
      peerDependencies = {},
      peerDependenciesMeta = {},
    } = lock.packages[place];
    for (const each of Object.keys({ ...dependencies, ...optionalDependencies })) {
      waiting.push({ from: place, name: each, optional: each in optionalDependencies });
    }
    for (const each of Object.keys(peerDependencies)) {
      if (!peerDependenciesMeta[each]?.optional) waiting.push({ from: place, name: each, optional: true });
    }
  }
  return [...found].sort();
}

/** Directory in which Node looks for a package that a file in `from` imports, nearest first. */
function placesOf(from, name) {
  const places = [];
  for (let directory = from; directory !== '.'; directory = dirname(directory)) {
    if (basename(directory) !== 'node_modules') places.push(join(directory, 'node_modules', name));
  }
  return [...places, join('node_modules', name)];
}

/** Types, maps, tests, sources of native parts, builds for another run time, and pages. Licences stay. */
const UNUSED =
  /(\.(test|spec)\.[cm]?js|\.bare|\.d\.[cm]?ts|\.tsx?|\.[cm]ts|\.map|\.(c|cc|cpp|h|hpp|gyp|gypi|def|S|s|pyc?|markdown|html)|\.tsbuildinfo)$/;
const PAGES = /\.md$/i;
const NOTICE = /^(licen[cs]e|copying|notice)/i;
const UNUSED_FOLDERS = new Set([
  '.github',
  '__tests__',
  'benchmark',
  'benchmarks',
  'example',
  'examples',
  'test',
  'tests',
]);
const PLATFORM = /^(android|darwin|freebsd|ios|linux|openbsd|win32|win)-/;

/**
 * Whether a file or folder of a package can be loaded when it runs.
 *
 * @param {string} path Below the package.
 * @param {string} platform `linux-x64`, say.
 */
export function runs(path, platform) {
  const name = basename(path);
  if (NOTICE.test(name)) return true;
  if (PAGES.test(name) || UNUSED.test(name)) return false;
  // Builds for another C library.
  if (name.endsWith('.musl.node')) return false;
  if (UNUSED_FOLDERS.has(name) && !path.includes('/')) return false;
  return !(dirname(path) === 'prebuilds' && PLATFORM.test(name) && name !== platform);
}

/** Packages for a C library that the base does not have. */
export const isForeign = (place) => /-musl(eabihf)?$/.test(place);

/** Copies packages to the same places below `to`, without what does not run. */
export function copyInstalled(places, to, platform) {
  for (const place of places) {
    const source = join(root, place);
    // Packages inside are places of their own.
    const wanted = (path) =>
      path === source || (basename(path) !== 'node_modules' && runs(path.slice(source.length + 1), platform));
    for (const name of readdirSync(source)) {
      const path = join(source, name);
      if (wanted(path)) cpSync(path, join(to, place, name), { recursive: true, filter: wanted, dereference: true });
    }
  }
}
