import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toHex } from '@switchyard/protocol';
import { alice } from '@switchyard/protocol/testing';
import { InvalidConfig } from '@switchyard/service';
import { memoryLogger } from '@switchyard/service/testing';
import { afterAll, expect, test } from 'vitest';
import { isDevelopmentKey, readKeyFile } from './key-file.ts';

const SEED = '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90';
const directory = mkdtempSync(join(tmpdir(), 'keys-'));
afterAll(() => rmSync(directory, { recursive: true }));

function file(name: string, content: string, mode = 0o600): string {
  const path = join(directory, name);
  writeFileSync(path, content, { mode });
  return path;
}

test('reads a seed, with or without an end of line', () => {
  const { log, lines } = memoryLogger();
  const signer = readKeyFile(file('good', `  ${SEED}\n`), 'KEY', log);
  expect(toHex(signer.publicKey)).toBe(toHex(alice.publicKey));
  expect(lines).toEqual([]);
});

test('warns where others can read it', () => {
  const { log, lines } = memoryLogger();
  const path = file('open', SEED, 0o644);
  readKeyFile(path, 'KEY', log);
  expect(lines).toMatchObject([{ path, mode: '644', msg: 'the key file can be read by others; chmod 600 mends that' }]);
  expect(JSON.stringify(lines)).not.toContain(SEED.slice(0, 8));
});

test.each([
  ['half a key', SEED.slice(0, 32)],
  ['a key with a typo', `${SEED.slice(0, 63)}g`],
  ['a key file of something else', `{"private_key":"${SEED}"}`],
  ['nothing', ''],
])('refuses %s without a word of what is in it', (name, content) => {
  const { log, lines } = memoryLogger();
  const path = file(name, content);
  let thrown: unknown;
  try {
    readKeyFile(path, 'SVC_KEY', log);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(InvalidConfig);
  const said = `${thrown} ${JSON.stringify(thrown)} ${JSON.stringify(lines)}`;
  expect(said).toContain('SVC_KEY');
  expect(said).toContain(path);
  for (let start = 0; start + 6 <= SEED.length; start += 1) expect(said).not.toContain(SEED.slice(start, start + 6));
});

test('says which file is missing', () => {
  const path = join(directory, 'absent');
  expect(() => readKeyFile(path, 'SVC_KEY', memoryLogger().log)).toThrow(`${path}: ENOENT`);
});

test('knows the public test keys', () => {
  expect(isDevelopmentKey(alice)).toBe(true);
  expect(isDevelopmentKey({ ...alice, publicKey: new Uint8Array(32) })).toBe(false);
});
