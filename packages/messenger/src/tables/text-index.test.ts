import { termHash } from '@switchyard/rollup/node';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alice, messengerNode, text } from '../testing/messenger.ts';
import { getTermHashes, getTerms } from './text-index.ts';
import { storedTexts } from './text-rows.ts';
import { textChunk, textsFrom } from './texts.ts';

test('the index has the hashes of what a search looks for, of every message', async () => {
  const words = fc.sample(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), { numRuns: 60, seed: 7 });
  const node = await messengerNode();
  try {
    await node.block({ data: words.map((each, nonce) => text(nonce, alice, each, `Name ${nonce % 3} é`)) });
    const { snapshot } = node.chain.view;
    const stored = [0n, 1n].flatMap((first) =>
      storedTexts(textChunk(snapshot, first) ?? new Uint8Array(20)).map(getTermHashes),
    );
    const shown = textsFrom(snapshot, 0n, 100);
    expect(stored).toHaveLength(1 + words.length);
    expect(stored.map((hashes) => new Set(hashes))).toEqual(
      shown.map((each) => new Set([...getTerms(each)].map(termHash))),
    );
  } finally {
    await node.stop();
  }
});
