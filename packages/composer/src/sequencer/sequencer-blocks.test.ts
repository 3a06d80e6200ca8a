import { decodeRollupData, headerHash } from '@switchyard/protocol';
import { encodeSequencedData } from '@switchyard/protocol/testing';
import { sleep } from '@switchyard/service';
import { memoryLogger, settle } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { CHAT, toText } from '../testing/builders.ts';
import { SignedHeaders } from '../testing/signed-headers.ts';
import { type BlockSource, SequencerBlocks } from './sequencer-blocks.ts';

const headers = new SignedHeaders('c');
const { signal } = new AbortController();
const entry = (text: string) => encodeSequencedData(new TextEncoder().encode(text));

/** A sequencer with a submission in each block, and an invalid one. */
function world(latest: bigint, longestMs = 5) {
  const { log, lines } = memoryLogger();
  const source: { -readonly [K in keyof BlockSource]: BlockSource[K] } = {
    height: async () => latest,
    commit: async (height) => headers.at(height),
    rollupEntries: async (height) => [entry(`of ${height}`), Uint8Array.of(0xff)],
  };
  const blocks = new SequencerBlocks({ source: () => source, log, longestMs });
  const above = async (height: bigint) =>
    (await blocks.dataAbove(CHAT, height, signal)).map((data) => toText({ data }));
  return { source, blocks, above, lines };
}

test('gives the submissions of the blocks above a height, in order, and nothing else', async () => {
  expect(decodeRollupData(entry('x'))).toMatchObject({ kind: 'sequencedData' });
  const { above } = world(40n);
  expect(await above(37n)).toEqual(['of 38', 'of 39', 'of 40']);
  expect([await above(40n), await above(99n)]).toEqual([[], []]);
  expect((await world(100_000n).above(10n)).length).toBe(256);
});

test('blocks that cannot be read are left out, and logged', async () => {
  const { above, source, lines } = world(3n);
  source.rollupEntries = () => Promise.reject(new Error('connection refused'));
  expect(await above(0n)).toEqual([]);
  source.height = (cut) =>
    new Promise((_, reject) => cut.addEventListener('abort', () => reject(new Error('no answer'))));
  expect([await above(0n), lines.length]).toEqual([[], 1]);
});

// Defect: Composer warned of a leak of listeners while it read blocks for a restarted rollup
test('reading many blocks together, all of them cancellable, warns of no leak', async () => {
  const { above, source } = world(40n, 60_000);
  const names: string[] = [];
  const onWarning = ({ name }: Error) => void names.push(name);
  process.on('warning', onWarning);
  source.rollupEntries = async (height, _, cut) => {
    await sleep(1, cut);
    return [entry(`of ${height}`)];
  };
  expect(await above(0n)).toHaveLength(40);
  await settle();
  process.off('warning', onWarning);
  expect(names).not.toContain('MaxListenersExceededWarning');
});

test('returns the block at a height, or the latest one', async () => {
  const { blocks } = world(12n);
  const getHash = (height: bigint) => headerHash(headers.at(height).header);
  expect(await blocks.at(7n, signal)).toEqual({ latest: 12n, height: 7n, hash: getHash(7n) });
  expect(await blocks.at(99n, signal)).toEqual({ latest: 12n, height: 12n, hash: getHash(12n) });
  expect(await world(0n).blocks.at(9n, signal)).toEqual({ latest: 0n, height: 0n, hash: new Uint8Array() });
});
