import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as browserHash from '../bytes/hash.browser.ts';
import { sha256, sha256Hex } from '../bytes/hash.ts';
import { Rejected } from '../errors.ts';
import { alice, anyBytes } from '../testing.ts';
import {
  accountIdFromBytes,
  accountIdFromPublicKey,
  fromHex,
  rollupIdBase64Url,
  rollupIdFromName,
  toHex,
  txHashFromHex,
  txHashOf,
} from './ids.ts';

test('hex comes back as the bytes it was made from, in either letter case', () => {
  fc.assert(
    fc.property(anyBytes(), (bytes) => {
      expect(fromHex(toHex(bytes))).toEqual(bytes);
      expect(fromHex(toHex(bytes).toUpperCase())).toEqual(bytes);
    }),
  );
});

test('text that is not hex is refused and nothing else is thrown', () => {
  for (const text of ['0', '0g', '0x00', 'é0', ' 0']) expect(() => fromHex(text)).toThrow(Rejected);
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        expect(toHex(fromHex(text))).toBe(text.toLowerCase());
      } catch (error) {
        if (!(error instanceof Rejected)) throw error;
      }
    }),
  );
});

test('an id of the wrong length is refused with both lengths', () => {
  expect(() => accountIdFromBytes(new Uint8Array(32))).toThrow('expected 20 bytes, got 32 bytes');
  expect(() => txHashFromHex('00')).toThrow('expected 32 bytes, got 1 bytes');
});

test('an account is the first 20 bytes of the hash of its key', () => {
  expect(accountIdFromPublicKey(alice.publicKey)).toBe(toHex(sha256(alice.publicKey).subarray(0, 20)));
});

// sequencer.md appendix A, messenger.md 3.8, composer-conductor.md appendix B.
test('rollup ids are hashes of names', () => {
  expect(rollupIdFromName('messenger-rollup')).toBe('bc6085ecbbd7b7beac37b98e73cf574d6538692cd591b3388012f3cd672ac5d6');
  expect(rollupIdFromName('astria-chat')).toBe('0aaef4bf5e7dd5ca476a74569bbe1a6bc4a6e68e816f4ed5eb72dc2db763e76e');
  expect(rollupIdFromName('testchainid')).toBe('3c0609620330aefb333fd73b6c774cc7ab1670e6fd19311ee5a9388270fadc4b');
});

test('the text of a rollup id in events is padded URL-safe base64', () => {
  const id = rollupIdFromName('messenger-rollup');
  expect(rollupIdBase64Url(id)).toBe(Buffer.from(id, 'hex').toString('base64url').concat('='));
});

test('parts hash as the bytes in a row, and the same in a browser', () => {
  fc.assert(
    fc.property(fc.array(anyBytes()), (parts) => {
      const joined = Uint8Array.from(parts.flatMap((part) => [...part]));
      const hash = sha256(...parts);
      expect(hash).toEqual(sha256(joined));
      expect(hash).toEqual(browserHash.digestParts(parts));
      expect(toHex(hash)).toBe(sha256Hex(joined));
      expect(toHex(hash)).toBe(browserHash.digestHex(joined));
      const placed = new Uint8Array(34);
      browserHash.digestInto(joined, placed, 1);
      expect(placed).toEqual(Uint8Array.of(0, ...hash, 0));
      expect(txHashOf(joined)).toBe(toHex(hash));
    }),
  );
});
