import { createMemoryStore, type StateReader } from '@switchyard/machine';
import {
  buildSequencerBlock,
  commitRollupData,
  decodeFilteredBlock,
  decodeRollupData,
  encodeFilteredBlock,
  fromHex,
  type RollupId,
  rollupIdFromName,
  sha256,
  toHex,
  verifyFilteredBlock,
} from '@switchyard/protocol';
import { encodeSequencedData, filterBlock } from '@switchyard/protocol/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Blocks, deletePieces, toPieces, writePieces } from './blocks.ts';

const [chat, other, absent] = ['chat', 'other', 'absent'].map(rollupIdFromName) as [RollupId, RollupId, RollupId];

function block(height: bigint, content: ReadonlyMap<RollupId, readonly Uint8Array[]>, other = 1) {
  const committed = commitRollupData(content);
  return buildSequencerBlock({
    hash: sha256(new TextEncoder().encode(String(height))),
    chainId: 'test-1',
    height,
    time: { seconds: 1_700_000_000n, nanos: 5 },
    proposer: new Uint8Array(20).fill(7),
    items: [committed.rollupTransactionsRoot, committed.rollupIdsRoot, new Uint8Array([other, 2, 3])],
    committed,
  });
}

const items = (...texts: string[]) => texts.map((text) => encodeSequencedData(new TextEncoder().encode(text)));

/** Counts reads, since only the requested records shall be read. */
class Counted implements StateReader {
  readonly reads: string[] = [];
  readonly #inner: StateReader;
  constructor(inner: StateReader) {
    this.#inner = inner;
  }
  get(key: string): Uint8Array | undefined {
    this.reads.push(key);
    return this.#inner.get(key);
  }
  range: StateReader['range'] = (options) => this.#inner.range(options);
}

function stored(...blocks: readonly ReturnType<typeof block>[]) {
  const overlay = createMemoryStore().begin();
  for (const each of blocks) writePieces(overlay, toPieces(each));
  return new Counted(overlay);
}

test('puts together exactly what the wire encodes', () => {
  const whole = block(
    1n,
    new Map([
      [chat, items('a', 'b')],
      [other, items('c')],
    ]),
  );
  const blocks = new Blocks({ committed: () => stored(whole) });
  for (const ids of [[], [chat], [other, chat], [chat, absent, chat]]) {
    const bytes = blocks.filtered(1n, ids);
    expect(bytes).toEqual(encodeFilteredBlock(filterBlock(whole, ids)));
    if (bytes !== undefined) verifyFilteredBlock(decodeFilteredBlock(bytes), ids);
  }
  expect(blocks.full(1n)).toMatchObject({ header: whole.header, rollups: whole.rollups });
});

test('reads the data of the rollups asked for, and nothing else', () => {
  const state = stored(
    block(
      1n,
      new Map([
        [chat, items('a')],
        [other, items('b')],
      ]),
    ),
  );
  const blocks = new Blocks({ committed: () => state });
  blocks.filtered(1n, [chat, absent]);
  expect(state.reads.map((key) => key.split('/').at(-1))).toEqual(['0000000000000001', chat, absent]);
});

test('a published block is answered from memory, alike', () => {
  const whole = block(1n, new Map([[chat, items('a')]]));
  const state = stored(whole);
  const blocks = new Blocks({ committed: () => state });
  const fromDisk = blocks.filtered(1n, [chat]);
  state.reads.length = 0;
  blocks.published(toPieces(whole));
  expect(blocks.filtered(1n, [chat, absent])).toEqual(fromDisk);
  expect(state.reads).toEqual([]);
});

test('keeps the newest blocks within its bytes, even if one alone is too big', () => {
  const all = [1n, 2n, 3n].map((height) => block(height, new Map([[chat, items('x'.repeat(1_000))]])));
  const state = stored(...all);
  const blocks = new Blocks({ committed: () => state }, 3_500);
  for (const each of all) blocks.published(toPieces(each));
  for (const height of [3n, 2n, 1n]) blocks.filtered(height, [chat]);
  expect(state.reads.map((key) => key.split('/')[3])).toEqual(['0000000000000001', '0000000000000001']);
  const big = block(4n, new Map([[chat, items('x'.repeat(10_000))]]));
  blocks.published(toPieces(big));
  expect(blocks.filtered(4n, [chat])).toBeUndefined();
});

test('of blocks without data that have the rest in common only what differs is stored, and they read the same', () => {
  const empty = [1n, 2n, 3n, 300n].map((height) => block(height, new Map()));
  const state = stored(...empty);
  const blocks = new Blocks({ committed: () => state });
  const lengths = empty.map((each) => {
    const { height } = each.header;
    expect(blocks.filtered(height, [chat])).toEqual(encodeFilteredBlock(filterBlock(each, [])));
    return (state.get(`index/block/frame/${height.toString(16).padStart(16, '0')}`)?.length ?? 0) < 60;
  });
  expect(lengths).toEqual([false, true, true, true]);
});

test('blocks with transactions that are for no rollup leave nothing behind when they are deleted', () => {
  const store = createMemoryStore();
  const overlay = store.begin();
  for (let height = 1n; height <= 20n; height += 1n)
    writePieces(overlay, toPieces(block(height, new Map(), Number(height))));
  for (let height = 1n; height <= 20n; height += 1n) deletePieces(overlay, height);
  store.seal(overlay, 1n);
  expect(overlay.size).toBe(20);
  for (let height = 1n; height <= 20n; height += 1n) {
    expect(new Blocks({ committed: () => overlay }).full(height)).toBeUndefined();
  }
});

test('a deleted block is gone with all of its data, and its neighbours stay', () => {
  const overlay = createMemoryStore().begin();
  const content = new Map([
    [chat, items('a')],
    [other, items('b')],
  ]);
  const all = [block(1n, content), block(2n, new Map()), block(3n, content), block(4n, new Map())];
  for (const each of all) writePieces(overlay, toPieces(each));
  for (const height of [1n, 2n, 2n]) deletePieces(overlay, height);
  const blocks = new Blocks({ committed: () => overlay });
  for (const height of [1n, 2n]) expect(blocks.filtered(height, [chat, other])).toBeUndefined();
  for (const rollup of [chat, other])
    expect(overlay.get(`index/block/rollup/0000000000000001/${rollup}`)).toBeUndefined();
  for (const each of all.slice(2)) {
    expect(blocks.filtered(each.header.height, [chat, other])).toEqual(
      encodeFilteredBlock(filterBlock(each, [chat, other])),
    );
  }
});

test('knows no block that was not stored', () => {
  const blocks = new Blocks({ committed: () => stored() });
  expect([blocks.filtered(1n, [chat]), blocks.full(1n)]).toEqual([undefined, undefined]);
});

test('gives back any data, whoever asks for which part of it', () => {
  const ids = ['a', 'b', 'c', 'd'].map(rollupIdFromName);
  const content = fc.uniqueArray(fc.tuple(fc.constantFrom(...ids), fc.array(fc.uint8Array(), { minLength: 1 })), {
    selector: ([id]) => id,
  });
  fc.assert(
    fc.property(content, fc.uniqueArray(fc.constantFrom(...ids)), (rollups, wanted) => {
      const whole = block(1n, new Map(rollups));
      const bytes = new Blocks({ committed: () => stored(whole) }).filtered(1n, wanted);
      expect(bytes).toEqual(encodeFilteredBlock(filterBlock(whole, wanted)));
    }),
    { numRuns: 50 },
  );
});

test("the block of the wire's vector", () => {
  const rollup = rollupIdFromName('messenger-rollup');
  const committed = commitRollupData(new Map([[rollup, [fromHex('0a0568656c6c6f')]]]));
  expect(toHex(committed.rollupTransactionsRoot)).toBe(
    '7951314c3d192146169d8f62903e43a951ff09edc514db21bab73d5f336126e7',
  );
  expect(decodeRollupData(fromHex('0a0568656c6c6f')).kind).toBe('sequencedData');
});
