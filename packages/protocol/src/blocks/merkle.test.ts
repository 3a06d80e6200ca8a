import fc from 'fast-check';
import { expect, test } from 'vitest';
import { equalBytes, fromHex, toHex } from '../accounts/ids.ts';
import { sha256 } from '../bytes/hash.ts';
import { Rejected } from '../errors.ts';
import { anyBytes } from '../testing.ts';
import {
  merkleProof,
  merkleProofs,
  merkleProofsAt,
  merkleRoot,
  proofFromWire,
  proofToWire,
  verifyMerkleProof,
} from './merkle.ts';

// The tree of the Certificate Transparency tests (RFC 6962 implementations); its root is quoted in messenger.md 11.
const CT_LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map(fromHex);

const anyLeaves = fc.array(anyBytes({ maxLength: 80 }), { minLength: 1, maxLength: 40 });

/** The definition in RFC 6962, section 2.1, word for word. */
function definition(leaves: readonly Uint8Array[]): Uint8Array {
  const [first] = leaves;
  if (first === undefined) return sha256();
  if (leaves.length === 1) return sha256(Uint8Array.of(0), first);
  let split = 1;
  while (2 * split < leaves.length) split *= 2;
  return sha256(Uint8Array.of(1), definition(leaves.slice(0, split)), definition(leaves.slice(split)));
}

test('the Certificate Transparency leaves have their published root', () => {
  expect(toHex(merkleRoot(CT_LEAVES))).toBe('5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328');
});

test('the root of nothing is the hash of nothing', () => {
  expect(toHex(merkleRoot([]))).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});

test('roots follow the definition', () => {
  fc.assert(
    fc.property(anyLeaves, (leaves) => {
      expect(merkleRoot(leaves)).toEqual(definition(leaves));
    }),
  );
});

test('every leaf has a proof, and it comes back from the wire', () => {
  fc.assert(
    fc.property(anyLeaves, (leaves) => {
      const root = merkleRoot(leaves);
      const proofs = merkleProofs(leaves);
      expect(merkleProofsAt(leaves, [...leaves.keys()])).toEqual({ root, proofs });
      for (const [index, leaf] of leaves.entries()) {
        const proof = merkleProof(leaves, index);
        expect(proofs[index]).toEqual(proof);
        expect(verifyMerkleProof(proof, leaf, root)).toBe(true);
        expect(proofFromWire(proofToWire(proof))).toEqual(proof);
        expect(proofToWire(proof).treeSize).toBe(BigInt(2 * leaves.length - 1));
      }
    }),
  );
});

test('a proof holds for nothing but its leaf, place, path and root', () => {
  fc.assert(
    fc.property(anyLeaves, fc.nat(), fc.nat(), (leaves, pick, other) => {
      const index = pick % leaves.length;
      const leaf = leaves[index] ?? new Uint8Array();
      const root = merkleRoot(leaves);
      const proof = merkleProof(leaves, index);
      const node = new Uint8Array(32);
      expect(verifyMerkleProof(proof, Uint8Array.of(...leaf, 1), root)).toBe(false);
      expect(verifyMerkleProof(proof, leaf, node)).toBe(false);
      expect(verifyMerkleProof({ ...proof, path: [...proof.path, node] }, leaf, root)).toBe(false);
      expect(verifyMerkleProof({ ...proof, path: [...proof.path, new Uint8Array(31)] }, leaf, root)).toBe(false);
      if (proof.path.length > 0) {
        expect(verifyMerkleProof({ ...proof, path: proof.path.slice(1) }, leaf, root)).toBe(false);
        const elsewhere = other % leaves.length;
        // At the place of an equal leaf, a proof of it may well hold.
        if (!equalBytes(leaves[elsewhere] ?? leaf, leaf)) {
          expect(verifyMerkleProof({ ...proof, index: elsewhere }, leaf, root)).toBe(false);
        }
      }
      for (const bad of [-1, leaves.length, Number.NaN]) {
        expect(verifyMerkleProof({ ...proof, index: bad }, leaf, root)).toBe(false);
      }
    }),
  );
});

test.each([
  ['no nodes', { treeSize: 0n }],
  ['an even number of nodes', { treeSize: 4n }],
  ['more leaves than any tree', { treeSize: (1n << 64n) - 1n }],
  ['a leaf outside', { leafIndex: 3n }],
  ['half a sibling', { auditPath: new Uint8Array(48) }],
])('a proof with %s is refused', (_, change) => {
  const proof = { auditPath: new Uint8Array(64), leafIndex: 2n, treeSize: 5n, ...change };
  expect(() => proofFromWire(proof)).toThrow(Rejected);
});

test('asking for the proof of a leaf that is not there is a mistake of the caller', () => {
  expect(() => merkleProof([], 0)).toThrow(RangeError);
});
