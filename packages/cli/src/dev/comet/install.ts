import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, usage } from '@switchyard/service/failure';
import { runTool } from '../../tools.ts';
import type { InstancePaths } from '../instance/home.ts';
import { fetchProgram } from '../services/download.ts';
import { installProgram } from '../services/install-program.ts';
import { COMET_VERSION, toVersion } from './binary.ts';

const MODULE = 'github.com/cometbft/cometbft/cmd/cometbft';
const RELEASE = `https://github.com/cometbft/cometbft/releases/download/v${COMET_VERSION}`;
const CHECKSUMS = `${RELEASE}/SHA256SUMS-${COMET_VERSION}.txt`;

export interface InstallOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  /** Expected hash of the release's archive; absent: built by Go, whose checksum database vouches for the source. */
  readonly release?: { readonly sha256: string; readonly url: string };
  readonly signal?: AbortSignal;
}

/**
 * Puts `cometbft` into the `bin/` of an instance, in the version of our tests. An existing one is
 * replaced only by a program that prints this version.
 *
 * @throws {Failure}
 */
export async function installCometbft(paths: InstancePaths, options: InstallOptions): Promise<{ program: string }> {
  const { release, signal } = options;
  const make = (work: string) => (release === undefined ? build(work, options) : fetchRelease(work, release, options));
  const installed = { name: 'cometbft', version: COMET_VERSION, signal, make, readVersion: toVersion };
  return { program: await installProgram(paths.bin, installed) };
}

/** The archive of the release for a machine. @throws {Failure} if there is none. */
export function releaseUrl(platform: string, arch: string): string {
  const systems: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'darwin' };
  const processors: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
  const [system, processor] = [systems[platform], processors[arch]];
  if (system === undefined || processor === undefined)
    throw new Failure(`cometbft ${COMET_VERSION} has no release for ${platform} on ${arch}: build it with Go`);
  return `${RELEASE}/cometbft_${COMET_VERSION}_${system}_${processor}.tar.gz`;
}

/** @throws {Failure} when no hash was given: none is built in, since none could be verified. */
export function releaseHash(sha256: string | undefined, url: string): string {
  if (sha256 === undefined)
    throw usage(
      `--from-release: no hash of ${url} is built in: give that of ${CHECKSUMS} with --sha256, or build it with Go by leaving --from-release out`,
    );
  const hash = sha256.toLowerCase();
  if (/^[0-9a-f]{64}$/.test(hash)) return hash;
  throw usage(`--sha256: expected 64 hexadecimal digits, got ${JSON.stringify(sha256.slice(0, 80))}`);
}

async function fetchRelease(
  work: string,
  { sha256, url }: { readonly sha256: string; readonly url: string },
  { say, signal }: InstallOptions,
): Promise<void> {
  const directory = join(work, 'release');
  const where = 'cometbft';
  const download = { url, sha256, directory, inside: '', names: ['cometbft'], command: directory, where };
  const unpacked = await fetchProgram(download, { say, ...(signal === undefined ? {} : { signal }) });
  copyFileSync(unpacked, join(work, 'cometbft'));
}

/** `go install` fetches the source through the module proxy, and checks it against Go's checksum database. */
async function build(work: string, { env, say, signal }: InstallOptions): Promise<void> {
  say(`building cometbft ${COMET_VERSION} with Go: this takes a minute or two the first time`);
  const args = ['install', `${MODULE}@v${COMET_VERSION}`];
  const { problem } = await runTool('go', args, {
    env: { ...env, GOBIN: work, CGO_ENABLED: '0', GOOS: '', GOARCH: '' },
    cwd: work,
    signal,
    onLine: (line, stream) => stream === 'stderr' && !/^go: downloading/.test(line) && say(line),
  }).catch((error: Error) => {
    const absent = 'code' in error && error.code === 'ENOENT';
    throw new Failure(
      absent
        ? `go is not on PATH: install Go (https://go.dev/dl), or get the release with --from-release --sha256 HASH, or fetch ${RELEASE} by other means and put cometbft into bin/`
        : `go install: ${error.message}`,
    );
  });
  if (problem !== undefined) throw new Failure(`go ${args.join(' ')} failed: ${problem}`);
}
