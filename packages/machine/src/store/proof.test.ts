import { EMPTY_ROOT, hashKey, type StateProof, verifyStateProof } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryStore } from './memory.ts';

const value = (...bytes: number[]) => Uint8Array.from(bytes);

async function getSnapshot(...keys: string[]) {
  const store = createMemoryStore();
  const overlay = store.begin();
  for (const key of keys) overlay.put(key, value(1));
  await store.commit(store.seal(overlay, 1n));
  return store.snapshot();
}

const keys = Array.from({ length: 50 }, (_, i) => `key/${i}`);

test('shows that an empty state has no keys', async () => {
  const snapshot = await getSnapshot();
  expect(verifyStateProof(EMPTY_ROOT, 'a', undefined, snapshot.prove('a'))).toBe(true);
  expect(verifyStateProof(EMPTY_ROOT, 'a', value(1), snapshot.prove('a'))).toBe(false);
});

test('is as long as the tree is deep, not as its keys are many', async () => {
  const snapshot = await getSnapshot(...Array.from({ length: 1000 }, (_, i) => `key/${i}`));
  expect(snapshot.prove('key/1').siblings.length).toBeLessThan(20);
});

test('holds against no other root, key or value', async () => {
  const snapshot = await getSnapshot(...keys);
  const other = await getSnapshot(...keys, 'one more');
  const proof = snapshot.prove('key/1');
  expect(verifyStateProof(snapshot.root, 'key/1', value(1), proof)).toBe(true);
  expect(verifyStateProof(other.root, 'key/1', value(1), proof)).toBe(false);
  expect(verifyStateProof(snapshot.root, 'key/2', value(1), proof)).toBe(false);
  expect(verifyStateProof(snapshot.root, 'key/1', value(), proof)).toBe(false);
});

test.each<[string, (proof: StateProof) => StateProof]>([
  ['a hash less', (proof) => ({ ...proof, siblings: proof.siblings.slice(1) })],
  ['a hash more', (proof) => ({ ...proof, siblings: [...proof.siblings, EMPTY_ROOT] })],
  ['a short hash', (proof) => ({ ...proof, siblings: proof.siblings.map((hash) => hash.subarray(1)) })],
  ['more hashes than bits', (proof) => ({ ...proof, siblings: Array(257).fill(EMPTY_ROOT) })],
  ['another leaf beside a value', (proof) => ({ ...proof, other: { keyHash: hashKey('x'), valueHash: hashKey('y') } })],
])('refuses a proof with %s', async (_, change) => {
  const snapshot = await getSnapshot(...keys);
  expect(verifyStateProof(snapshot.root, 'key/1', value(1), change(snapshot.prove('key/1')))).toBe(false);
});

test('does not take a present key for absent, whatever leaf is shown instead', async () => {
  const snapshot = await getSnapshot(...keys);
  const { siblings } = snapshot.prove('key/1');
  const claims: Array<StateProof['other']> = [
    undefined,
    { keyHash: hashKey('key/1'), valueHash: hashKey('') },
    ...keys.map((key) => ({ keyHash: hashKey(key), valueHash: hashKey('') })),
  ];
  for (const other of claims) {
    for (let length = 0; length <= siblings.length; length++) {
      const proof = { siblings: siblings.slice(0, length), other };
      expect(verifyStateProof(snapshot.root, 'key/1', undefined, proof)).toBe(false);
    }
  }
});

test('does not take an inner node for a leaf', async () => {
  const snapshot = await getSnapshot('a', 'b');
  const [sibling] = snapshot.prove('a').siblings;
  // The root is sha256(1, left, right): a leaf of these two hashes would have it, were the tags the same.
  const forged = { siblings: [], other: { keyHash: sibling ?? EMPTY_ROOT, valueHash: sibling ?? EMPTY_ROOT } };
  expect(verifyStateProof(snapshot.root, 'c', undefined, forged)).toBe(false);
});

test('never accepts noise', async () => {
  const snapshot = await getSnapshot(...keys);
  const hash = fc.uint8Array({ minLength: 31, maxLength: 33 });
  const noise = fc.record({
    siblings: fc.array(hash, { maxLength: 10 }),
    other: fc.option(fc.record({ keyHash: hash, valueHash: hash }), { nil: undefined }),
  });
  fc.assert(
    fc.property(noise, fc.constantFrom('key/1', 'absent'), (proof, key) => {
      expect(verifyStateProof(snapshot.root, key, undefined, proof)).toBe(false);
      expect(verifyStateProof(snapshot.root, key, value(1), proof)).toBe(false);
    }),
  );
});
