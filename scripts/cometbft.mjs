// Builds CometBFT with `go install`, once, into a directory that `npm ci` does not touch in between. Prints its path. With
// --image [--out FILE] it packs an image of it instead, for sequencer networks in a cluster.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packProgram } from './packing/program.mjs';

/** The version that the application is tested with. */
export const VERSION = 'v0.38.26';

/** The name that `switchyard sequencer deployment create` has for it. */
const IMAGE = `localhost/cometbft:${VERSION.slice(1)}`;

const MODULE = 'github.com/cometbft/cometbft';
const PROGRAMS = ['cmd/cometbft', 'abci/cmd/abci-cli'];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = process.env.SWITCHYARD_CACHE ?? join(root, '.cache');
export const binary = join(cache, `cometbft-${VERSION}`, 'cometbft');
/** Its tool around applications, which runs its own kvstore as a process of its own: the benchmark's yardstick. */
export const abciCli = join(dirname(binary), 'abci-cli');

/** @returns the file, or why there is none. */
export function build() {
  if (existsSync(binary) && existsSync(abciCli)) return { binary };
  if (spawnSync('go', ['version']).status !== 0) return { problem: 'Go is not installed' };
  mkdirSync(dirname(binary), { recursive: true });
  const { status, stderr } = spawnSync('go', ['install', ...PROGRAMS.map((name) => `${MODULE}/${name}@${VERSION}`)], {
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
    console.error(`CometBFT ${VERSION} was not built: ${built.problem}; its scenarios will be left out`);
    process.exit(1);
  }
  const { values: options } = parseArgs({
    options: {
      image: { type: 'boolean' },
      out: { type: 'string', default: join(root, 'dist', 'cometbft-image.tar') },
    },
  });
  if (options.image) {
    const out = resolve(options.out);
    await pack(built.binary, out);
    console.log(`${out}: ${IMAGE}`);
  } else console.log(built.binary);
}

async function pack(program, out) {
  const work = mkdtempSync(join(tmpdir(), 'switchyard-cometbft-'));
  try {
    const layer = join(work, 'layer');
    mkdirSync(join(layer, 'bin'), { recursive: true });
    copyFileSync(program, join(layer, 'bin', 'cometbft'));
    const { stdout } = spawnSync('go', ['mod', 'download', '-json', `${MODULE}@${VERSION}`], { encoding: 'utf8' });
    const licenses = join(layer, 'usr', 'share', 'doc', 'cometbft');
    mkdirSync(licenses, { recursive: true });
    copyFileSync(join(JSON.parse(stdout).Dir, 'LICENSE'), join(licenses, 'LICENSE'));
    mkdirSync(dirname(out), { recursive: true });
    await packProgram({ layer, name: IMAGE, out, entry: '/bin/cometbft' });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
