// Builds the Versity S3 Gateway with `go install`, once, into a directory that `npm ci` does not touch in between: an S3 server
// over a directory, which archives in S3-compatible storage are tested with. Prints its path.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const VERSION = 'v1.8.0';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = process.env.SWITCHYARD_CACHE ?? join(root, '.cache');
export const binary = join(cache, `versitygw-${VERSION}`, 'versitygw');

/** @returns the file, or why there is none. */
export function build() {
  if (existsSync(binary)) return { binary };
  if (spawnSync('go', ['version']).status !== 0) return { problem: 'Go is not installed' };
  mkdirSync(dirname(binary), { recursive: true });
  const { status, stderr } = spawnSync('go', ['install', `github.com/versity/versitygw/cmd/versitygw@${VERSION}`], {
    env: { ...process.env, GOBIN: dirname(binary), CGO_ENABLED: '0' },
    stdio: ['ignore', 'inherit', 'pipe'],
    encoding: 'utf8',
  });
  if (status === 0 && existsSync(binary)) return { binary };
  return { problem: `go install failed: ${stderr.trim().split('\n').at(-1) ?? 'no reason given'}` };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const built = build();
  if (built.binary === undefined) {
    console.error(`versitygw ${VERSION} was not built: ${built.problem}; its scenarios will be left out`);
    process.exit(1);
  }
  console.log(built.binary);
}
