// Installs Schemathesis into a virtual environment of its own, once. Prints the path of its program.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const VERSION = '4.32.5';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = process.env.SWITCHYARD_CACHE ?? join(root, '.cache');
const directory = join(cache, `schemathesis-${VERSION}`);
export const binary = join(directory, 'bin', 'schemathesis');
const LIMIT_MS = 5 * 60_000;

/** @returns the file, or why there is none. */
export function install() {
  if (existsSync(binary)) return { binary };
  mkdirSync(cache, { recursive: true });
  for (const [command, ...args] of [
    ['python3', '-m', 'venv', directory],
    [join(directory, 'bin', 'pip'), 'install', '--quiet', `schemathesis==${VERSION}`],
  ]) {
    const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: LIMIT_MS });
    if (status === 0) continue;
    // A half-made installation would count as a whole one.
    rmSync(directory, { recursive: true, force: true });
    return { problem: error?.message ?? stderr.trim().split('\n').at(-1) };
  }
  return { binary };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const installed = install();
  if (installed.binary === undefined) {
    console.error(`Schemathesis ${VERSION} was not installed: ${installed.problem}; its scenario will be left out`);
    process.exit(1);
  }
  console.log(installed.binary);
}
