import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigner } from '@switchyard/protocol';
import { InvalidConfig } from '@switchyard/service';
import { memoryLogger } from '@switchyard/service/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseValidatorKey, readValidatorKey } from './validator-key.ts';

const SEED = Buffer.alloc(32, 7);
const signer = createSigner(SEED);
const secret = Buffer.concat([SEED, signer.publicKey]).toString('base64');
const document = {
  address: signer.account.toUpperCase(),
  pub_key: { type: 'tendermint/PubKeyEd25519', value: Buffer.from(signer.publicKey).toString('base64') },
  priv_key: { type: 'tendermint/PrivKeyEd25519', value: secret },
};

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'key-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('reads the key that CometBFT wrote', () => {
  const read = parseValidatorKey(JSON.stringify(document), 'key.json');
  expect(read.publicKey).toEqual(signer.publicKey);
  expect(read.sign(Buffer.from('m'))).toEqual(signer.sign(Buffer.from('m')));
});

test.each([
  ['no JSON', `{"priv_key": "${secret}`, 'not JSON'],
  ['null', 'null', 'priv_key is not of type tendermint/PrivKeyEd25519'],
  [
    'another type of key',
    { priv_key: { type: 'tendermint/PrivKeySecp256k1', value: secret } },
    'priv_key is not of type',
  ],
  ['a short key', { priv_key: { ...document.priv_key, value: SEED.toString('base64') } }, 'priv_key is not 64 bytes'],
  [
    'halves that do not fit',
    { priv_key: { ...document.priv_key, value: Buffer.concat([SEED, SEED]).toString('base64') } },
    'the two halves of priv_key do not belong together',
  ],
  [
    'another public key',
    { pub_key: { ...document.pub_key, value: SEED.toString('base64') } },
    'pub_key does not belong',
  ],
  ['another address', { address: '00'.repeat(20) }, 'address does not belong'],
])('refuses %s, and shows nothing of the file', (_, change, message) => {
  const text = typeof change === 'string' ? change : JSON.stringify({ ...document, ...change });
  const parse = () => parseValidatorKey(text, 'key.json');
  expect(parse).toThrow(InvalidConfig);
  expect(parse).toThrow(`key.json: expected a CometBFT priv_validator_key.json (${message}`);
  expect(parse).not.toThrow(secret.slice(0, 20));
});

test.each([
  [0o600, 0],
  [0o644, 1],
  [0o640, 1],
])('a file of mode %o gives %i warnings', (mode, count) => {
  const file = join(directory, 'priv_validator_key.json');
  writeFileSync(file, JSON.stringify(document));
  chmodSync(file, mode);
  const { log, lines } = memoryLogger();
  expect(readValidatorKey(file, log).account).toBe(signer.account);
  expect(lines).toHaveLength(count);
  expect(JSON.stringify(lines)).not.toContain(secret);
});

test('names a file that is not there', () => {
  const { log } = memoryLogger();
  expect(() => readValidatorKey(join(directory, 'none.json'), log)).toThrow(/none\.json.*ENOENT/);
});
