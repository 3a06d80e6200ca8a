// Builds geth and its tool `evm` with `go install`, once, into a directory that `npm ci` does not touch in between. Prints
// their paths.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The version that the stock back end is tested with. It works from 1.17.3 on. */
export const VERSION = 'v1.17.8';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = process.env.SWITCHYARD_CACHE ?? join(root, '.cache');
export const binary = join(cache, `geth-${VERSION}`, 'geth');

/** Executes blocks without a node: what random blocks are compared with. */
export const evmBinary = join(cache, `geth-${VERSION}`, 'evm');

/** @returns the files, or why they are not there. */
export function build() {
  const missing = [binary, evmBinary].filter((file) => !existsSync(file));
  if (missing.length === 0) return { binary, evmBinary };
  if (spawnSync('go', ['version']).status !== 0) return { problem: 'Go is not installed' };
  mkdirSync(dirname(binary), { recursive: true });
  const packages = missing.map((file) => `github.com/ethereum/go-ethereum/cmd/${basename(file)}@${VERSION}`);
  const { status, stderr } = spawnSync('go', ['install', ...packages], {
    env: { ...process.env, GOBIN: dirname(binary) },
    stdio: ['ignore', 'inherit', 'pipe'],
    encoding: 'utf8',
  });
  if (status === 0 && missing.every((file) => existsSync(file))) return { binary, evmBinary };
  return { problem: `go install failed: ${stderr.trim().split('\n').at(-1) ?? 'no reason given'}` };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const built = build();
  if (built.binary === undefined) {
    console.error(`geth ${VERSION} was not built: ${built.problem}; its tests will be left out`);
    process.exit(1);
  }
  console.log(built.binary);
  console.log(built.evmBinary);
}
