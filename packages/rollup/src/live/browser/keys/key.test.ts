import { createSigner, formatAddress, fromHex, verify } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { developmentKeys } from './development.ts';
import { signWith } from './ed25519.ts';
import { openSeed, sealKey, signerOfKey } from './key.ts';
import { BadKeyFile, decodeKeyFile, encodeKeyFile } from './key-file.ts';

const seed = new Uint8Array(32).fill(7);
const message = Uint8Array.of(1, 2, 3);

test('a kept key signs as the seed does, in the browser or with the library, and cannot be read', async () => {
  const expected = createSigner(seed);
  const key = await sealKey(seed, 'ann');
  expect(key.address).toBe(formatAddress(expected.account));
  expect([key.signing?.extractable, (key.vault as CryptoKey).extractable]).toEqual([false, false]);
  expect(await openSeed(key)).toEqual(seed);
  for (const stored of [key, { ...key, signing: undefined }]) {
    const signer = signerOfKey(stored);
    expect(verify(await signer.sign(message), message, expected.publicKey)).toBe(true);
  }
  expect(await signWith(seed, message)).toEqual(expected.sign(message));
});

test('development accounts have the addresses of their keys', () => {
  for (const { address, key } of developmentKeys)
    expect(formatAddress(createSigner(fromHex(key)).account)).toBe(address);
});

test('a key file is read back, with its passphrase only', async () => {
  expect(await decodeKeyFile(await encodeKeyFile(seed, ''), '')).toEqual(seed);
  const file = await encodeKeyFile(seed, 'correct horse');
  expect(file).not.toContain('0707');
  expect(await decodeKeyFile(file, 'correct horse')).toEqual(seed);
  await expect(decodeKeyFile(file, 'wrong')).rejects.toThrow('the passphrase is wrong');
  await expect(decodeKeyFile(file, '')).rejects.toThrow('enter its passphrase');
});

test('what is no key file is refused, and costs no time', async () => {
  const file = JSON.parse(await encodeKeyFile(seed, 'x')) as object;
  const slow = JSON.stringify({ ...file, iterations: 4_000_000_000 });
  for (const bad of ['', 'zz', '07'.repeat(31), '{', '{}', slow, 'a'.repeat(1_000_000)]) {
    await expect(decodeKeyFile(bad, 'x')).rejects.toThrow(BadKeyFile);
  }
});
