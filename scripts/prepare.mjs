// Installs the locked dependencies and builds, when either is needed. Plain Node: it runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isOld } from './bundle.mjs';
import { pruneModuleCache } from './module-cache.mjs';
import { newerNode } from './newer-node.mjs';
import { CLEAR_LINE, startStep } from './progress.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const MINIMUM = [20, 19];

/** Runs a program of ours with its output shown; ends this process with one line when it fails. */
export function run(what, command, args, cwd = root, env = process.env) {
  const { status, error } = spawnSync(command, args, {
    cwd,
    env,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status === 0) return;
  console.error(`${what} failed: ${error?.message ?? `exit status ${status}`} (${command} ${args.join(' ')})`);
  process.exit(1);
}

/** Runs a step that may be long and silent, with its progress shown. @param step One of `progress.mjs`. */
function runLong(step, directory, ...command) {
  const program = join(root, 'scripts', 'progress.mjs');
  // It ends with its stdin too, if this process is killed.
  const progress = spawn(process.execPath, [program, step, directory], { stdio: ['pipe', 'inherit', 'inherit'] });
  progress.on('error', () => undefined);
  run(...command);
  progress.kill();
  if (process.stderr.isTTY) process.stderr.write(CLEAR_LINE);
}

/** The compiler's note about what it has written stands alongside `dist`; if that was removed, the compiler would write nothing. */
export function forgetRemoved(repository) {
  for (const name of readdirSync(join(repository, 'packages'))) {
    const directory = join(repository, 'packages', name);
    if (!existsSync(join(directory, 'dist'))) rmSync(join(directory, 'tsconfig.tsbuildinfo'), { force: true });
  }
}

/** @param [isStart] Whether it is part of `npm start`, which states its steps: also if nothing is to be done. */
export function prepare(isStart = false) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < MINIMUM[0] || (major === MINIMUM[0] && minor < MINIMUM[1])) {
    console.error(
      `Node ${process.versions.node} is too old: expected ${MINIMUM.join('.')} or newer, install it from nodejs.org`,
    );
    process.exit(1);
  }
  if (isStart) console.error(startStep('install', isInstalled(root)));
  install(root);
  if (isStart) console.error(startStep('build'));
  pruneModuleCache();
  forgetRemoved(root);
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  runLong('build', root, 'the build', process.execPath, [tsc, '-b']);
  if (isOld()) run('the bundling of the programs', process.execPath, [join(root, 'scripts', 'bundle.mjs')]);
  const web = join(root, 'packages', 'web');
  const made = newest([join(web, 'dist')]);
  const sources = [join(web, 'src'), join(web, 'package.json'), join(web, 'vite.config.ts')];
  const libraries = ['protocol', 'service', 'client', 'explorer', 'faucet', 'messenger'].map((name) =>
    join(root, 'packages', name, 'dist'),
  );
  if (made === 0 || newest([...sources, ...libraries]) > made)
    runLong('pages', root, 'the build of the pages', 'npm', ['run', 'build', '--silent', '-w', 'packages/web']);
}

/** Programs of others that only tests and benchmarks run, so `npm start` does without them. */
export function prepareTools() {
  installTools(join(root, 'e2e', 'tools'));
  installTools(join(root, 'e2e', 'hardhat'));
  // npm leaves out binaries for a Node that is newer than the running one.
  if (existsSync(newerNode)) installTools(join(root, 'e2e', 'hardhat3'), dirname(newerNode));
}

/**
 * Installs a directory of tools, which is no workspace and has a lockfile of its own.
 *
 * @param [programs] Directory of the Node that npm runs on, if it differs.
 */
export function installTools(directory, programs) {
  // The lockfile holds the platforms whose packages could be had when it was written, which npm ci calls incomplete.
  install(directory, ['install', '--no-save'], programs);
}

/** Lies in node_modules, so deleting that directory is always enough to start over. */
const getStamp = (directory) => join(directory, 'node_modules', '.installed');
const hashLock = (directory) =>
  createHash('sha256')
    .update(readFileSync(join(directory, 'package-lock.json')))
    .digest('hex');
const isInstalled = (directory) =>
  existsSync(getStamp(directory)) && readFileSync(getStamp(directory), 'utf8') === hashLock(directory);

/** Installs what the lockfile of a directory names, when that was not done. */
function install(directory, how = ['ci'], programs = '') {
  if (isInstalled(directory)) return;
  console.error(`installing the dependencies that ${join(directory, 'package-lock.json')} names; this is done once`);
  // npm's spinner would erase the line with the progress.
  const args = [...how, '--no-audit', '--no-fund', '--no-progress', '--loglevel=error'];
  const env = programs === '' ? process.env : { ...process.env, PATH: `${programs}${delimiter}${process.env.PATH}` };
  runLong('install', directory, `npm ${how[0]}`, 'npm', args, directory, env);
  writeFileSync(getStamp(directory), hashLock(directory));
}

/** Time of the newest file among these and below them; 0 when there is none. */
function newest(paths) {
  return paths.reduce((latest, path) => {
    if (!existsSync(path)) return latest;
    const { mtimeMs } = statSync(path);
    if (!statSync(path).isDirectory()) return Math.max(latest, mtimeMs);
    return Math.max(latest, newest(readdirSync(path).map((name) => join(path, name))));
  }, 0);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!process.argv.includes('--only-tools')) prepare();
  if (process.argv.some((each) => ['--tools', '--only-tools'].includes(each))) prepareTools();
}
