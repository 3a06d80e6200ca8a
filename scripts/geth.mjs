// Builds geth with `go install`, once, into a directory that `npm ci` does not touch in between. Prints where it is.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The version that the stock back end is tested with. It works from 1.17.3 on. */
export const VERSION = 'v1.17.8';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = process.env.SWITCHYARD_CACHE ?? join(root, '.cache');
export const binary = join(cache, `geth-${VERSION}`, 'geth');

/** @returns the file, or why there is none. */
export function build() {
  if (existsSync(binary)) return { binary };
  if (spawnSync('go', ['version']).status !== 0) return { problem: 'Go is not installed' };
  mkdirSync(dirname(binary), { recursive: true });
  const { status, stderr } = spawnSync('go', ['install', `github.com/ethereum/go-ethereum/cmd/geth@${VERSION}`], {
    env: { ...process.env, GOBIN: dirname(binary) },
    stdio: ['ignore', 'inherit', 'pipe'],
    encoding: 'utf8',
  });
  if (status === 0 && existsSync(binary)) return { binary };
  return { problem: `go install failed: ${stderr.trim().split('\n').at(-1) ?? 'no reason given'}` };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const built = build();
  if (built.binary === undefined) {
    console.error(`geth ${VERSION} was not built: ${built.problem}; its tests will be left out`);
    process.exit(1);
  }
  console.log(built.binary);
}
