// Vitest's cache of our compiled sources, so that a run compiles only changes since the last one.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, 'node_modules', '.vitest-modules');

/** Some ten times the files of a run: each changed source adds one. */
const MAX_FILES = 20_000;

/** A directory for each state of the manifests: a compiled module names files, which the `exports` of packages have decided. */
export function moduleCachePath() {
  const hash = createHash('sha256');
  for (const name of readdirSync(join(root, 'packages')).sort()) {
    const manifest = join(root, 'packages', name, 'package.json');
    if (existsSync(manifest)) hash.update(readFileSync(manifest));
  }
  return join(cache, hash.digest('hex').slice(0, 16));
}

/** Not while Vitest runs. */
export function pruneModuleCache() {
  if (!existsSync(cache)) return;
  if (readdirSync(cache, { recursive: true }).length > MAX_FILES) rmSync(cache, { recursive: true, force: true });
}
