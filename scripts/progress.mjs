// Shows how far a long step is, until its stdin ends: the steps themselves keep the terminal of `npm start` silent for a minute or
// two. On a terminal that is one line that changes, elsewhere a line now and then. Plain Node: it runs before anything is installed.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ON_TERMINAL_MS = 500;
const ELSEWHERE_MS = 10_000;

const changedSince = (path, time) => existsSync(path) && statSync(path).mtimeMs >= time;
const json = (path) => JSON.parse(readFileSync(path, 'utf8'));
const fits = (list, value) => list === undefined || (list.includes(value) && !list.includes(`!${value}`));

const libc = () => (process.report?.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'glibc');

/** Places of a lockfile's packages that this system gets. */
export function packagesIn(lock, { platform, arch, libc }) {
  return Object.entries(lock.packages)
    .filter(([place, { link }]) => place.includes('node_modules/') && !link)
    .filter(([, wanted]) => fits(wanted.os, platform) && fits(wanted.cpu, arch) && fits(wanted.libc, libc))
    .map(([place]) => place);
}

/**
 * npm makes the directories of all packages that this system gets, then asks the registry about each and fetches them, which takes
 * half of the time, and unpacks them. The lockfile alone does not tell how many there are: npm decides which optional ones it takes.
 *
 * @param places Those of the lockfile. @param has Whether a path is there.
 */
export function installed(places, has) {
  const made = places.filter((place) => has(place));
  if (made.length === 0) return 'npm reads the lockfile';
  const unpacked = made.filter((place) => has(join(place, 'package.json'))).length;
  return unpacked === 0 ? `npm fetches ${made.length} packages` : `${unpacked} of ${made.length} packages are there`;
}

const counted = (parts, isDone, noun) => `${parts.filter(isDone).length} of ${parts.length} ${noun}`;

/** Names of the steps, each with a function that describes its progress. */
export const STEPS = {
  install: (directory) => {
    const { platform, arch } = process;
    const places = packagesIn(json(join(directory, 'package-lock.json')), { platform, arch, libc: libc() });
    return {
      text: 'installing dependencies',
      progress: () => installed(places, (place) => existsSync(join(directory, place))),
    };
  },
  build: (directory, since) => {
    const packages = json(join(directory, 'tsconfig.json')).references.map(({ path }) => path);
    const isDone = (path) => changedSince(join(directory, path, 'tsconfig.tsbuildinfo'), since);
    return { text: 'compiling', progress: () => counted(packages, isDone, 'packages') };
  },
  pages: (directory, since) => {
    const pages = json(join(directory, 'packages/web/package.json')).scripts.build.match(/(?<=--mode )\w+/g) ?? [];
    const isDone = (page) => changedSince(join(directory, 'packages/web/dist', page, 'index.html'), since);
    return { text: 'building the pages', progress: () => counted(pages, isDone, 'pages') };
  },
};

/** Steps of `npm start`, in plain words. @param name One of the functions that do the work. @param isDone It has been done before. */
export const startStep = (name, isDone = false) => {
  const steps = {
    install: isDone ? 'the dependencies are installed' : 'installing the dependencies, once',
    build: 'building the programs and pages, as far as they have changed',
    run: 'starting the network',
  };
  const names = Object.keys(steps);
  return `step ${names.indexOf(name) + 1} of ${names.length}: ${steps[name]}`;
};

export const lineOf = ({ text, progress }, seconds) => `${text}: ${progress()}, ${seconds} s`;

/** Erases the line of a terminal that the cursor is in. */
export const CLEAR_LINE = '\r\u001b[2K';

/** @param columns Width of the terminal; undefined elsewhere. @returns what to write for a line. */
export function shownLine(line, columns) {
  // Too long a line would take two rows, of which only the last can be erased. The cursor stays at its start for what others print.
  return columns === undefined ? `${line}\n` : `${CLEAR_LINE}${line.slice(0, Math.max(0, columns - 1))}\r`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , name, directory] = process.argv;
  // biome-ignore lint/plugin: compared with the times of files
  const step = STEPS[name](directory, Date.now());
  const { stderr } = process;
  // Some terminals do not tell their width.
  const columns = stderr.isTTY ? stderr.columns || 80 : undefined;
  const print = () => stderr.write(shownLine(lineOf(step, Math.round(performance.now() / 1_000)), columns));
  setInterval(print, stderr.isTTY ? ON_TERMINAL_MS : ELSEWHERE_MS);
  process.stdin.resume().on('end', () => process.exit(0));
}
