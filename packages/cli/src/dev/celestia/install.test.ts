import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BUILDER, CELESTIA_PROGRAMS, findVersion, installCelestia } from './install.ts';

const scratch = () => mkdtempSync(join(tmpdir(), 'switchyard-install-'));

/** A directory with one program that is a script of this Node. */
function withProgram(name: string, script: string): string {
  const directory = join(scratch(), 'bin');
  mkdirSync(directory);
  writeFileSync(join(directory, name), `#!${process.execPath}\n${script}\n`, { mode: 0o755 });
  return directory;
}

const install = async (bin: string, path: string) => {
  const lines: string[] = [];
  const signal = new AbortController().signal;
  const outcome = await installCelestia(bin, { env: { PATH: path }, say: (line) => lines.push(line), signal }).catch(
    (error: unknown) => String(error),
  );
  return { outcome, lines };
};

test('without Go, and with one that is too old, it ends with one line, and nothing is left', async () => {
  const bin = join(scratch(), 'bin');
  const { outcome } = await install(bin, '/nowhere');
  expect(outcome).toBe('Failure: Go is not installed: get Go 1.26.2 or newer from https://go.dev/dl');
  const old = await install(bin, withProgram('go', `console.log('go1.26.1')`));
  expect(old.outcome).toBe('Failure: expected Go 1.26.2 or newer, got go1.26.1: get one from https://go.dev/dl');
  expect(readdirSync(bin)).toEqual([]);
});

test('a source that does not hash as pinned is not built', async () => {
  const go = withProgram(
    'go',
    `console.log(process.argv[2] === 'env' ? 'go1.30' : JSON.stringify({ Dir: '/nowhere', Sum: 'h1:other' }))`,
  );
  const bin = join(scratch(), 'bin');
  const { outcome } = await install(bin, go);
  expect(outcome).toBe(
    'Failure: github.com/celestiaorg/celestia-node v0.31.6-corto: expected h1:9ZEZ4hKlVKFg9dkHpLQCuO3TvshNu6TIxiep5B0JMCY=, got h1:other',
  );
  expect(readdirSync(bin)).toEqual([]);
});

test('what Go reports is the reason', async () => {
  const script = `if (process.argv[2] === 'env') console.log('go1.26.2'); else { console.error('some/package\\ngo: no network\\n'); process.exitCode = 1; }`;
  const { outcome } = await install(join(scratch(), 'bin'), withProgram('go', script));
  expect(outcome).toMatch(/^Failure: go mod in .* failed: go: no network$/);
});

test('a program that is there in this version stays', async () => {
  const bin = withProgram('celestia', `console.log('Semantic version: v0.31.6-corto\\nCommit: ')`);
  const { outcome, lines } = await install(bin, '/nowhere');
  expect(lines[0]).toBe('celestia v0.31.6-corto is there');
  expect(outcome).toContain('Go is not installed');
  expect(existsSync(join(bin, 'celestia'))).toBe(true);
  const other = withProgram('celestia-appd', `console.log('9.0.3')`);
  expect(await findVersion(join(other, 'celestia-appd'))).toBe('v9.0.3');
  expect(await findVersion('/nowhere/celestia')).toBeUndefined();
});

test('the versions are those that are built', () => {
  const builder = readFileSync(BUILDER, 'utf8');
  for (const version of Object.values(CELESTIA_PROGRAMS)) expect(builder).toContain(`version: '${version}'`);
});
