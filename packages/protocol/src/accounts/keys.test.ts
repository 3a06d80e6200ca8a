import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alice, anyBytes, toBytes } from '../testing.ts';
import * as browser from './ed25519.browser.ts';
import * as native from './ed25519.node.ts';
import { fromHex } from './ids.ts';
import { createSigner, parseSeed, verify, verifyStrict } from './keys.ts';
import { createSigner as createByNode } from './signer.ts';

// RFC 8032, section 7.1, tests 1 to 3.
test.each([
  [
    '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
  [
    'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  ],
])('seed %s signs as in RFC 8032', (seed, publicKey, message, signature) => {
  const signer = createSigner(fromHex(seed));
  expect(signer.publicKey).toEqual(fromHex(publicKey));
  expect(signer.sign(fromHex(message))).toEqual(fromHex(signature));
  expect(verify(fromHex(signature), fromHex(message), fromHex(publicKey))).toBe(true);
  expect(verifyStrict(fromHex(signature), fromHex(message), fromHex(publicKey))).toBe(true);
});

test('native code, that of Node and that of browsers make the same keys and signatures and accept each other', () => {
  fc.assert(
    fc.property(toBytes(32), anyBytes(), (seed, message) => {
      const pair = native.keyPair(seed);
      expect(browser.keyPair(seed).publicKey).toEqual(pair.publicKey);
      const signature = native.signDetached(message, pair.secretKey);
      expect(browser.signDetached(message, seed)).toEqual(signature);
      const byNode = createByNode(seed);
      expect([byNode.publicKey, byNode.account]).toEqual([pair.publicKey, createSigner(seed).account]);
      expect(byNode.sign(message)).toEqual(signature);
      expect(browser.verifyDetached(signature, message, pair.publicKey)).toBe(true);
      expect(browser.verifyDetached(signature, Uint8Array.of(...message, 0), pair.publicKey)).toBe(false);
    }),
    { numRuns: 10 },
  );
});

test('a changed signature, message or key does not verify', () => {
  const message = new TextEncoder().encode('pay bob 10');
  const signature = alice.sign(message);
  fc.assert(
    fc.property(fc.nat({ max: 63 }), fc.nat({ max: 9 }), fc.nat({ max: 31 }), (inSignature, inMessage, inKey) => {
      const flip = (bytes: Uint8Array, at: number) => bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
      expect(verify(flip(signature, inSignature), message, alice.publicKey)).toBe(false);
      expect(verify(signature, flip(message, inMessage), alice.publicKey)).toBe(false);
      expect(verify(signature, message, flip(alice.publicKey, inKey))).toBe(false);
    }),
    { numRuns: 10 },
  );
});

test('a signature cannot be turned into another one of the same body: its scalar must be below the order', () => {
  const message = new TextEncoder().encode('pay bob 10');
  const signature = alice.sign(message);
  const number = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex') || '0'}`);
  const order = (1n << 252n) + 27_742_317_777_372_353_535_851_937_790_883_648_493n;
  for (const multiple of [1n, 2n, 15n]) {
    const scalar = number(signature.subarray(32)) + multiple * order;
    if (scalar >= 1n << 256n) continue;
    const other = Uint8Array.from(signature);
    other.set(Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse(), 32);
    expect(verify(other, message, alice.publicKey)).toBe(false);
    expect(verifyStrict(other, message, alice.publicKey)).toBe(false);
  }
});

test('keys and signatures of the wrong length do not verify, and do not throw', () => {
  const empty = new Uint8Array();
  expect(verify(empty, empty, alice.publicKey)).toBe(false);
  expect(verify(new Uint8Array(64), empty, empty)).toBe(false);
  expect(verify(new Uint8Array(65), empty, alice.publicKey)).toBe(false);
  expect(verifyStrict(new Uint8Array(63), empty, new Uint8Array(33))).toBe(false);
  expect(verify(new Uint8Array(64).fill(255), empty, new Uint8Array(32).fill(255))).toBe(false);
});

test('the refusal of a private key does not show it', () => {
  for (const text of ['00'.repeat(31), `${'ab'.repeat(31)}zz`, 'hunter2']) {
    expect(() => parseSeed(text)).toThrow('private key');
    expect(() => parseSeed(text)).not.toThrow(text);
  }
  expect(JSON.stringify(alice)).not.toContain('2bd806');
  expect(parseSeed(`  ${'01'.repeat(32)}\n`)).toEqual(new Uint8Array(32).fill(1));
});

// The 196 edge cases of ZIP-215 (zips.z.cash/zip-0215, "Test vectors"): every pair of the 14 encodings of points of
// small order as key and as commitment, with a scalar of zero, over the message "Zcash".
test('all 196 small-order signatures of ZIP-215 verify, though libsodium alone refuses each', () => {
  const encodings = smallOrderEncodings();
  expect(encodings).toHaveLength(14);
  const message = new TextEncoder().encode('Zcash');
  for (const key of encodings) {
    for (const commitment of encodings) {
      const signature = Uint8Array.of(...commitment, ...new Uint8Array(32));
      expect(verifyStrict(signature, message, key)).toBe(false);
      expect(browser.verifyDetached(signature, message, key)).toBe(false);
      expect(verify(signature, message, key)).toBe(true);
    }
  }
});

test('a signature with a part of small order is refused by the fast checks of Node and of pages alike', () => {
  const { Point, utils } = ed25519;
  const message = new TextEncoder().encode('Zcash');
  const { scalar, pointBytes } = utils.getExtendedPublicKey(new Uint8Array(32).fill(7));
  const number = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  const hash = (...parts: Uint8Array[]) => number(createHash('sha512').update(Buffer.concat(parts)).digest());
  for (const encoding of smallOrderEncodings()) {
    const part = Point.fromBytes(encoding, true);
    for (const r of [1n, 12_345n]) {
      const commitment = Point.BASE.multiply(r).add(part).toBytes();
      const s = Point.Fn.create(r + hash(commitment, pointBytes, message) * scalar);
      const signature = Uint8Array.of(...commitment, ...fromHex(s.toString(16).padStart(64, '0')).reverse());
      expect(verify(signature, message, pointBytes)).toBe(true);
      const isWhole = native.verifyDetached(signature, message, pointBytes);
      expect(isWhole).toBe(part.is0());
      expect(browser.verifyDetached(signature, message, pointBytes)).toBe(isWhole);
    }
  }
});

/** Every 32 bytes that ZIP-215 decodes to a point whose order divides 8, canonical or not. */
function smallOrderEncodings(): readonly Uint8Array[] {
  const { Fp } = ed25519.Point;
  // y of the points of order 1, 2, 4 and 8 (twice: y and -y).
  const orderEight = BigInt('0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7');
  const heights = [1n, Fp.ORDER - 1n, 0n, orderEight, Fp.ORDER - orderEight];
  const found: Uint8Array[] = [];
  for (const y of heights) {
    for (const written of [y, y + Fp.ORDER].filter((value) => value < 1n << 255n)) {
      for (const sign of [0n, 1n << 255n]) {
        const bytes = fromHex((written + sign).toString(16).padStart(64, '0')).reverse();
        expect(ed25519.Point.fromBytes(bytes, true).isSmallOrder()).toBe(true);
        found.push(bytes);
      }
    }
  }
  return found;
}
