import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { scratchInstance } from '../testing.ts';
import { COMET_VERSION } from './binary.ts';
import { installCometbft, releaseHash, releaseUrl } from './install.ts';

/** A PATH on which `go install` runs the script. */
function withGo(script: string): NodeJS.ProcessEnv {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-go-'));
  writeFileSync(join(directory, 'go'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { PATH: [directory, process.env.PATH].join(delimiter) };
}

/** Script of a build, which leaves a program that prints `version`. */
const builds = (version: string) =>
  `echo "$2" > "$GOBIN/asked"; printf '#!/bin/sh\\necho ${version}\\n' > "$GOBIN/cometbft"; chmod +x "$GOBIN/cometbft"`;

test('is built with Go in the version that is asked for, and is the only thing left in bin/', async () => {
  const paths = scratchInstance();
  const notices: string[] = [];
  const env = withGo(`${builds(COMET_VERSION)}; cp "$GOBIN/asked" ${paths.home}/asked`);
  const { program } = await installCometbft(paths, { env, say: (line) => notices.push(line) });
  expect(program).toBe(join(paths.bin, 'cometbft'));
  expect(readdirSync(paths.bin)).toEqual(['cometbft']);
  expect(readFileSync(join(paths.home, 'asked'), 'utf8')).toBe(
    `github.com/cometbft/cometbft/cmd/cometbft@v${COMET_VERSION}\n`,
  );
  expect(notices).toEqual([`building cometbft ${COMET_VERSION} with Go: this takes a minute or two the first time`]);
});

test.each([
  ['another version comes out', builds('1.0.1'), `expected cometbft ${COMET_VERSION}, got 1.0.1`],
  ['Go fails', 'echo "go: no such module" >&2; exit 1', 'failed: go: no such module'],
])('when %s it is reported, and the previous program stays', async (_, script, message) => {
  const paths = scratchInstance();
  mkdirSync(paths.bin);
  writeFileSync(join(paths.bin, 'cometbft'), 'before');
  await expect(installCometbft(paths, { env: withGo(script), say: () => {} })).rejects.toThrow(message);
  expect(readdirSync(paths.bin)).toEqual(['cometbft']);
  expect(readFileSync(join(paths.bin, 'cometbft'), 'utf8')).toBe('before');
});

test('without Go it prints the alternatives', async () => {
  const installing = installCometbft(scratchInstance(), { env: { PATH: '/nowhere' }, say: () => {} });
  await expect(installing).rejects.toThrow(/^go is not on PATH: install Go .* or get the release with --from-release/);
});

test('a release is only taken with a hash, which its list of checksums has', () => {
  const url = releaseUrl('darwin', 'arm64');
  expect(url).toMatch(/\/v0\.38\.\d+\/cometbft_0\.38\.\d+_darwin_arm64\.tar\.gz$/);
  expect(() => releaseHash(undefined, url)).toThrow(
    /no hash of .* is built in: give that of .*SHA256SUMS-0\.38\.\d+\.txt/,
  );
  expect(() => releaseHash('abc', url)).toThrow('--sha256: expected 64 hexadecimal digits, got "abc"');
  expect(releaseHash('AB'.repeat(32), url)).toBe('ab'.repeat(32));
  expect(() => releaseUrl('win32', 'x64')).toThrow('has no release for win32 on x64: build it with Go');
});
