import { createMemoryStore, type StateReader } from '@switchyard/machine';
import {
  type BlockHash,
  baseInputDigest,
  blockHashFromBytes,
  nextInputDigest,
  type RollupData,
  rollupContentHash,
  sha256,
} from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StoredBlock } from './row-format.ts';
import { getBlock, putBlock } from './stored-blocks.ts';
import { getInputDigest } from './stored-digests.ts';

const hash = (text: string): BlockHash => blockHashFromBytes(sha256(Buffer.from(text)));
const makeKey = (number: number) => `index/blocks/${number.toString(16).padStart(16, '0')}`;
const lengthsIn = (state: StateReader, count: number) =>
  Array.from({ length: count }, (_, number) => state.get(makeKey(number))?.length);

type Content = 'idle' | 'busy' | 'ignored entry' | 'foreign digest' | 'no digest';

interface Made {
  readonly block: StoredBlock;
  readonly digest: Uint8Array | undefined;
}

/** Blocks with the digests of their inputs. */
function getChain(contents: readonly Content[]): Made[] {
  let parentHash = hash('before');
  let digest: Uint8Array | undefined;
  return contents.map((content, index) => {
    const timestamp = { seconds: BigInt(1_000 + 2 * index), nanos: index * 7 };
    const sequencerBlockHash = hash(`sequencer ${index}`);
    const entries: RollupData[] = content === 'ignored entry' ? [{ kind: 'unknown' }] : [];
    const previous = digest ?? baseInputDigest(parentHash);
    digest = nextInputDigest(previous, { entries, timestamp, sequencerBlockHash });
    if (content === 'foreign digest') digest = sha256(digest);
    if (content === 'no digest') digest = undefined;
    const block = {
      hash: hash(`block ${index}`),
      parentHash,
      ...timestamp,
      sequencerBlockHash,
      contentHash: blockHashFromBytes(rollupContentHash(parentHash, [], [], timestamp)),
      stateRoot: hash('state'),
      receiptsHash: hash(`receipts of ${content === 'busy' ? 'one' : 'none'}`),
      executed: content === 'busy' ? 1 : 0,
      refused: 0,
      deposits: 0,
      skippedDeposits: 0,
    };
    parentHash = block.hash;
    return { block, digest };
  });
}

function stored(chain: readonly Made[]) {
  const state = createMemoryStore().begin();
  for (const [number, { block, digest }] of chain.entries()) putBlock(state, BigInt(number), block, digest);
  return state;
}

test('an idle block takes 81 bytes with its digest, each eighth one 112', () => {
  const idle = Array.from({ length: 20 }, (): Content => 'idle');
  const lengths = lengthsIn(stored(getChain([...idle, 'busy', 'idle', 'idle'])), 23);
  const seven = Array.from({ length: 7 }, () => 81);
  expect(lengths).toEqual([252, ...seven, 112, ...seven, 112, 81, 81, 81, 252, 252, 81]);
});

test('a digest that does not follow from an idle block is written out, and one where none was before', () => {
  const chain = getChain(['idle', 'ignored entry', 'idle', 'foreign digest', 'idle', 'no digest', 'idle']);
  expect(lengthsIn(stored(chain), 7)).toEqual([252, 112, 81, 112, 81, 80, 112]);
});

test('any digest reads as it was put, and so does its block', () => {
  const content = fc.constantFrom<Content>('busy', 'ignored entry', 'foreign digest', 'no digest');
  const contents = fc.array(fc.oneof({ weight: 8, arbitrary: fc.constant<Content>('idle') }, content), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(contents, (each) => {
      const chain = getChain(each);
      const state = stored(chain);
      expect(chain.map((_, number) => getInputDigest(state, BigInt(number)))).toEqual(
        chain.map(({ digest }) => digest),
      );
      expect(chain.map((_, number) => getBlock(state, BigInt(number)))).toEqual(chain.map(({ block }) => block));
      expect(getInputDigest(state, BigInt(chain.length))).toBeUndefined();
    }),
  );
});
