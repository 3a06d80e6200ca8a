import { createMPT } from '@ethereumjs/mpt';
import { bytesToHex, encodeRlp } from '@switchyard/protocol/ethereum';
import { expect, test } from 'vitest';
import { orderedRoot } from './ordered-root.ts';

/** Root from a trie that takes one value after the other. */
async function oracle(values: readonly Uint8Array[]) {
  const trie = await createMPT();
  for (const [index, value] of values.entries()) await trie.put(encodeRlp(BigInt(index)), value);
  return bytesToHex(trie.root());
}

test.each([0, 1, 2, 3, 16, 17, 127, 128, 129, 256, 257, 300])(
  'the root of %i values is that of the trie',
  async (count) => {
    // Long ones are hashed, short ones stand in their parents.
    for (const length of [1, 3, 40, 200]) {
      const values = Array.from({ length: count }, (_, index) => new Uint8Array(length).fill(1 + (index % 250)));
      expect(orderedRoot(values)).toBe(await oracle(values));
    }
  },
);
