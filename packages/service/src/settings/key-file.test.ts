import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { memoryLogger } from '../testing.ts';
import { InvalidConfig } from './config.ts';
import { BadKeyFile, decryptKey, encryptKey, type KeyKind, parseKeyFile } from './key-file.ts';
import { isOpenToOthers, readKey } from './read-key.ts';

const SECRET = new Uint8Array(32).fill(0xab);
const PASSPHRASE = 'correct horse';
const COST = 1_024;
const directory = mkdtempSync(join(tmpdir(), 'key-file-'));
afterAll(() => rmSync(directory, { recursive: true }));

function file(name: string, content: string, mode = 0o600): string {
  const path = join(directory, name);
  writeFileSync(path, content, { mode });
  return path;
}
const encrypted = (kind: KeyKind = 'ed25519') =>
  encryptKey(SECRET, PASSPHRASE, { kind, publicKey: 'cd'.repeat(32), cost: COST });
const opened = (text: string, passphrase = PASSPHRASE) => {
  const parsed = parseKeyFile(text);
  if ('secret' in parsed) throw new Error('it is not encrypted');
  return decryptKey(parsed.encrypted, passphrase);
};

test('what is encrypted is read with the passphrase, and with no other', () => {
  const text = encrypted();
  expect(opened(text)).toEqual(SECRET);
  expect(text).not.toContain('abababab');
  expect(encrypted()).not.toBe(text);
  for (const wrong of ['', 'correct  horse', 'Correct horse']) {
    expect(() => opened(text, wrong)).toThrow('the passphrase is wrong, or the file is damaged');
  }
});

/** Made once, by hand, as the format is described. */
const FIXED = JSON.stringify({
  format: 'switchyard-key',
  version: 1,
  kind: 'ed25519',
  publicKey: 'cd'.repeat(32),
  scrypt: { n: 1024, r: 8, p: 1, salt: '01'.repeat(32) },
  nonce: '02'.repeat(12),
  ciphertext: 'cc06909dfa85f59232218b49f274d9eec312fe8f73e9b65477957ceb8c7416773a9ad119e637d83961b886cbb75cfe99',
});

test('a file of version 1 can be read for ever', () => {
  expect(opened(FIXED)).toEqual(SECRET);
});

test.each(['kind', 'publicKey', 'nonce', 'ciphertext', 'salt', 'n'])('a changed %s is noticed', (name) => {
  const document = JSON.parse(encrypted());
  const place = name === 'salt' || name === 'n' ? document.scrypt : document;
  if (name === 'kind') place.kind = 'secp256k1';
  else if (name === 'n') place.n = 2_048;
  else place[name] = `${place[name].startsWith('00') ? '11' : '00'}${place[name].slice(2)}`;
  expect(() => opened(JSON.stringify(document))).toThrow(BadKeyFile);
});

test.each([
  ['no JSON', '{', /not JSON/],
  ['another format', '{"format":"x"}', /of ours/],
  ['a later version', '{"format":"switchyard-key","version":2}', /version 2, expected 1/],
  ['costs beyond reason', encrypted().replace('"n": 1024', '"n": 1073741824'), /scrypt is damaged/],
  ['no power of two', encrypted().replace('"n": 1024', '"n": 1025'), /scrypt is damaged/],
  ['a short nonce', encrypted().replace(/"nonce": "../, '"nonce": "'), /nonce is damaged/],
  ['another curve', encrypted().replace('"ed25519"', '"p256"'), /^an encrypted key whose kind is damaged$/],
  ['no costs', encrypted().replace('"scrypt"', '"other"'), /^an encrypted key whose scrypt is damaged$/],
  ['no salt', encrypted().replace('"salt"', '"other"'), /^an encrypted key whose scrypt\.salt is damaged$/],
  ['a public key that is no hex', encrypted().replace('cdcd', 'xyxy'), /^an encrypted key whose publicKey is damaged$/],
  ['endless nesting', `{"a":${'['.repeat(2_000)}`, /not JSON/],
  ['half a key', 'ab'.repeat(16), /neither/],
])('refuses %s', (_, text, message) => {
  expect(() => parseKeyFile(text)).toThrow(message);
});

const read = (path: string, more: { passphraseFile?: string; kind?: KeyKind } = {}) =>
  readKey({ path, setting: 'KEY', passphraseSetting: 'PASS', kind: 'ed25519', log: memoryLogger().log, ...more });

test('a process reads a plain key, with or without 0x, and an encrypted one with a passphrase file', () => {
  expect(read(file('plain', `${'ab'.repeat(32)}\n`))).toEqual(SECRET);
  expect(read(file('prefixed', `0x${'AB'.repeat(32)}`))).toEqual(SECRET);
  const passphraseFile = file('passphrase', `${PASSPHRASE}\n`);
  expect(read(file('encrypted', encrypted()), { passphraseFile })).toEqual(SECRET);
});

test.each<[string, () => unknown, string]>([
  [
    'no passphrase file is named',
    () => read(file('a', encrypted())),
    'KEY: expected a file with a private key (ed25519), 64 hexadecimal digits or encrypted, got',
  ],
  [
    'others can read the passphrase',
    () => read(file('b', encrypted()), { passphraseFile: file('open', PASSPHRASE, 0o644) }),
    'PASS: expected a file of mode 600 with a passphrase in its first line, got',
  ],
  [
    'the passphrase is another one',
    () => read(file('c', encrypted()), { passphraseFile: file('other', 'other') }),
    'the passphrase is wrong, or the file is damaged',
  ],
  [
    'the key is of the other curve',
    () => read(file('d', encrypted('secp256k1')), { passphraseFile: file('right', PASSPHRASE) }),
    'a key of secp256k1',
  ],
  ['it is something else', () => read(file('e', 'x'.repeat(5_000))), 'a larger file'],
  ['it is absent', () => read(join(directory, 'absent')), 'ENOENT'],
])('reports in one line when %s', (_, work, words) => {
  let message = '';
  try {
    work();
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error;
    message = error.message;
  }
  expect(message).toContain(words);
  expect(message).not.toMatch(/\n|abab|correct horse/);
});

test('a process warns where others can read the key, and logs nothing of it', () => {
  const { log, lines } = memoryLogger();
  const path = file('wide', 'ab'.repeat(32), 0o644);
  readKey({ path, setting: 'KEY', passphraseSetting: 'PASS', kind: 'ed25519', log });
  expect(lines).toMatchObject([{ path, mode: '644', msg: 'the key file can be read by others; chmod 600 fixes that' }]);
  expect(JSON.stringify(lines)).not.toContain('abab');
});

test.each([
  ['its owner alone', 0o600, true, false],
  ['the group of its owner', 0o640, true, true],
  ['everybody', 0o644, true, true],
  // Kubernetes mounts a Secret with an fsGroup in this way: without the group, the process could not read it.
  ['the group through which this process reads it', 0o440, false, false],
  ['the same group, which may write it', 0o460, false, true],
  ['everybody, where another user owns it', 0o444, false, true],
])('a key that is for %s', (_, mode, isOwn, open) => {
  expect(isOpenToOthers(mode, isOwn)).toBe(open);
});
