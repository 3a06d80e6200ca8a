import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RollupId, rollupIdBytes, rollupIdFromName, toHex } from '../accounts/ids.ts';
import { dataHash } from '../comet/hashes.ts';
import { Rejected } from '../errors.ts';
import { anyBlock, encodeSequencedData, filterBlock } from '../testing.ts';
import {
  buildSequencerBlock,
  commitRollupData,
  type FilteredBlock,
  type RollupEntry,
  verifyFilteredBlock,
} from './block.ts';
import { merkleProof, merkleRoot } from './merkle.ts';

const text = (value: string) => encodeSequencedData(new TextEncoder().encode(value));
const names = ['alpha', 'beta', 'gamma'].map(rollupIdFromName).sort();
const [first = missing(), second = missing(), third = missing()] = names;
const parts = {
  hash: new Uint8Array(32).fill(9),
  chainId: 'test',
  height: 7n,
  time: { seconds: 1n, nanos: 2 },
  proposer: new Uint8Array(20),
};

function missing(): never {
  throw new Error('three names were given');
}

function getBlock(data: Record<RollupId, Uint8Array[]>, ...transactions: Uint8Array[]) {
  const committed = commitRollupData(new Map(Object.entries(data) as [RollupId, Uint8Array[]][]));
  const items = [committed.rollupTransactionsRoot, committed.rollupIdsRoot, ...transactions];
  return buildSequencerBlock({ ...parts, items, committed });
}

// sequencer.md appendix A.
test('the published transaction makes the published roots', () => {
  const rollup = rollupIdFromName('messenger-rollup');
  const { rollups, ...roots } = commitRollupData(new Map([[rollup, [text('hello')]]]));
  expect(toHex(merkleRoot([text('hello')]))).toBe('13e0da9ae69c07d84b5354114b9daac45ee831c21e2b8fa5697ce85721ff8c8f');
  expect(toHex(roots.rollupTransactionsRoot)).toBe('7951314c3d192146169d8f62903e43a951ff09edc514db21bab73d5f336126e7');
  expect(toHex(roots.rollupIdsRoot)).toBe('a5b9ae6dec9332929cfb0ad78377dd04701683e96d97192ebbc8e6186178d041');
  expect(rollups).toMatchObject([{ rollup, transactions: [text('hello')] }]);
});

// sequencer.md appendix A: untyped, and the typed layout's entries.
test('the published blocks have their published data hashes', () => {
  const empty = getBlock({});
  expect(toHex(empty.header.dataHash)).toBe('ecfe780b22052641c424e0acfb0bf3465844a8def3874dea2e2df020a3f54f78');
  const typed = [Uint8Array.of(0x0a, 0x20, ...merkleRoot([])), Uint8Array.of(0x12, 0x20, ...merkleRoot([]))];
  expect(toHex(dataHash(typed))).toBe('4861c30410568bb90bd076ac8c736a9d84ba41595e5309d9e75c10b55db3c39a');
});

// composer-conductor.md appendix B.
test('the upstream commitment has its published roots', () => {
  const rollup = rollupIdFromName('testchainid');
  const { rollupTransactionsRoot, rollupIdsRoot } = commitRollupData(new Map([[rollup, [text('helloworld')]]]));
  expect(toHex(rollupTransactionsRoot)).toBe('bd9c7fe433f940ed965bdbd80163871ceb0ff981033be74b5c48676aada7fbee');
  expect(toHex(rollupIdsRoot)).toBe('01f4dbeb3a67c8c0c6dc4eb1cd04dbcb44cec9c097c780229815c0fef5fb62d7');
  const roots = [rollupTransactionsRoot, rollupIdsRoot];
  expect(toHex(dataHash(roots))).toBe('294863b7c4c1fc403d38ce073a442a610ca0b55bde5ade9b331427fb06195b31');
  const typed = [Uint8Array.of(0x0a, 0x20, ...rollupTransactionsRoot), Uint8Array.of(0x12, 0x20, ...rollupIdsRoot)];
  expect(toHex(dataHash(typed))).toBe('b6bf14562a151cb8bbafe0bd6a186579d96b0e1f6c31f17fe6076b4bc75407dc');
});

test('any selection of a block verifies, and its data hash is that of the entries', () => {
  fc.assert(
    fc.property(anyBlock, fc.infiniteStream(fc.boolean()), (block, coin) => {
      const ids = block.rollups.map(({ rollup }) => rollup);
      expect([...ids].sort()).toEqual(ids);
      const wanted = ids.filter(() => coin.next().value).concat(rollupIdFromName('unlisted'));
      const filtered = filterBlock(block, wanted);
      expect(filtered.rollups.map(({ rollup }) => rollup)).toEqual(wanted.slice(0, -1));
      expect(filtered.allRollupIds).toEqual(ids);
      verifyFilteredBlock(filtered, wanted);
    }),
  );
});

test('a selection keeps the order asked, and names each rollup once', () => {
  const block = getBlock({ [first]: [text('a')], [second]: [text('b')] });
  expect(filterBlock(block, [second, first, second]).rollups.map(({ rollup }) => rollup)).toEqual([second, first]);
  expect(filterBlock(block, []).rollups).toEqual([]);
});

const honest = filterBlock(
  getBlock({ [first]: [text('a'), text('b')], [second]: [text('c')], [third]: [text('d')] }, text('tx')),
  [first, second],
);
const [entry = missing(), other = missing()] = honest.rollups;
const changed = (change: Partial<FilteredBlock>): FilteredBlock => ({ ...honest, ...change });
const withEntry = (change: Partial<RollupEntry>) => changed({ rollups: [{ ...entry, ...change }, other] });
const header = (change: Partial<FilteredBlock['header']>) => changed({ header: { ...honest.header, ...change } });

test.each<[string, FilteredBlock, string]>([
  ['leaves out data that was asked for', changed({ rollups: [entry] }), 'withheld'],
  ['leaves out a byte string', withEntry({ transactions: [text('a')] }), 'does not cover'],
  ['adds a byte string', withEntry({ transactions: [text('a'), text('b'), text('x')] }), 'does not cover'],
  ['swaps byte strings', withEntry({ transactions: [text('b'), text('a')] }), 'does not cover'],
  ['gives one rollup the data of another', withEntry({ transactions: other.transactions }), 'does not cover'],
  ['gives one rollup the proof of another', withEntry({ proof: other.proof }), 'does not cover'],
  ['brings data of a rollup that is not listed', withEntry({ rollup: rollupIdFromName('unlisted') }), 'not listed'],
  ['brings data twice', changed({ rollups: [entry, entry] }), 'twice'],
  ['does not list a rollup', changed({ allRollupIds: [first, second] }), 'ids not in the block'],
  ['lists rollups out of order', changed({ allRollupIds: [second, first, third] }), 'ids not in the block'],
  ['names another data root', header({ rollupTransactionsRoot: new Uint8Array(32) }), 'data not in the block'],
  ['names another data hash', header({ dataHash: new Uint8Array(32) }), 'not in the block'],
  ['swaps the proofs of the roots', changed({ rollupTransactionsProof: honest.rollupIdsProof }), 'not in the block'],
])('a block that %s is refused', (_, block, problem) => {
  verifyFilteredBlock(honest, [first, second]);
  expect(() => verifyFilteredBlock(block, [first, second])).toThrow(Rejected);
  expect(() => verifyFilteredBlock(block, [first, second])).toThrow(problem);
});

test('a list of ids that is committed out of order is refused', () => {
  const ids = [second, first];
  const leaves = ids.map((id) => Uint8Array.of(...rollupIdBytes(id), ...merkleRoot([text('a')])));
  const committed = {
    rollups: ids.map((rollup, index) => ({ rollup, transactions: [text('a')], proof: merkleProof(leaves, index) })),
    rollupTransactionsRoot: merkleRoot(leaves),
    rollupIdsRoot: merkleRoot(ids.map(rollupIdBytes)),
  };
  const items = [committed.rollupTransactionsRoot, committed.rollupIdsRoot];
  const block = filterBlock(buildSequencerBlock({ ...parts, items, committed }), ids);
  expect(() => verifyFilteredBlock(block, ids)).toThrow('out of order');
});

test('a block that does not begin with its roots is a mistake of the caller', () => {
  const committed = commitRollupData(new Map());
  expect(() => buildSequencerBlock({ ...parts, items: [text('tx')], committed })).toThrow(
    'does not begin with the roots',
  );
});
