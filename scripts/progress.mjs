// Prints how far a long step is, every few seconds, until its stdin ends: the steps themselves keep the terminal of
// `npm start` silent for a minute or two. Plain Node: it runs before anything is installed.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FIRST_MS = 2_000;
const EVERY_MS = 5_000;

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

/** Countable parts of each step, and whether one is done. */
export const STEPS = {
  install: (directory) => ({
    text: 'installing dependencies',
    parts: packagesIn(json(join(directory, 'package-lock.json')), {
      platform: process.platform,
      arch: process.arch,
      libc: libc(),
    }),
    noun: 'packages',
    isDone: (place) => existsSync(join(directory, place, 'package.json')),
  }),
  build: (directory, since) => ({
    text: 'compiling',
    parts: json(join(directory, 'tsconfig.json')).references.map(({ path }) => path),
    noun: 'packages',
    isDone: (path) => changedSince(join(directory, path, 'tsconfig.tsbuildinfo'), since),
  }),
  pages: (directory, since) => ({
    text: 'building the pages',
    parts: json(join(directory, 'packages/web/package.json')).scripts.build.match(/(?<=--mode )\w+/g) ?? [],
    noun: 'pages',
    isDone: (page) => changedSince(join(directory, 'packages/web/dist', page, 'index.html'), since),
  }),
};

export function lineOf({ text, parts, noun, isDone }, seconds) {
  return `${text}: ${parts.filter(isDone).length} of ${parts.length} ${noun} after ${seconds} s`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , name, directory] = process.argv;
  // biome-ignore lint/plugin: compared with the times of files
  const step = STEPS[name](directory, Date.now());
  const print = () => console.error(lineOf(step, Math.round(performance.now() / 1_000)));
  setTimeout(() => {
    print();
    setInterval(print, EVERY_MS);
  }, FIRST_MS);
  process.stdin.resume().on('end', () => process.exit(0));
}
