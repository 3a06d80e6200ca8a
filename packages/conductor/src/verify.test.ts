import type { Checkpoint } from '@switchyard/client';
import { FakeSequencer, getValidators, signCommit, testSigner } from '@switchyard/client/testing';
import { type FilteredBlock, fromHex, Rejected, type SignedHeader, type Signer, toHex } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { ROLLUP } from './testing/fake-rollup.ts';
import { Verifier } from './verify.ts';

const { signal } = new AbortController();
const [one, two, three, four] = [1, 2, 3, 4].map(testSigner) as [Signer, Signer, Signer, Signer];

function chain(signers: readonly Signer[] = [one, two, three, four]): FakeSequencer {
  const sequencer = new FakeSequencer('test-chain', signers);
  for (const texts of [['a', 'b'], [], ['c']]) sequencer.produce(ROLLUP, ...texts);
  return sequencer;
}

function verifierFor(
  sequencer: FakeSequencer,
  lastBlockHash?: string,
  checkpoint?: Checkpoint,
  now = 1_700_000_100_000,
): Verifier {
  return new Verifier({
    chainId: 'test-chain',
    rollup: ROLLUP,
    lastBlockHash,
    checkpoint,
    trustingPeriodMs: 3_600_000,
    now: () => now,
    source: () => sequencer,
  });
}

async function verifyAt(verifier: Verifier, sequencer: FakeSequencer, height: bigint) {
  const [block, signed] = [await sequencer.filteredBlock(height, ROLLUP), await sequencer.commit(height)];
  return verifier.verify(height, block, signed, signal);
}

test('an honest chain verifies, with one look at the validators', async () => {
  const sequencer = chain();
  const verifier = verifierFor(sequencer);
  const blocks = [];
  for (const height of [1n, 2n, 3n]) blocks.push(await verifyAt(verifier, sequencer, height));
  expect(blocks.map(({ height, transactions }) => [height, transactions.map(toHex)])).toEqual([
    [1n, ['0a0161', '0a0162']],
    [2n, []],
    [3n, ['0a0163']],
  ]);
  expect(blocks[2]?.time).toEqual({ seconds: 1_700_000_002n, nanos: 5 });
  expect(sequencer.asked.filter((question) => question.startsWith('validators'))).toEqual(['validators 1']);
});

test('validators that a verified header announced take over', async () => {
  const sequencer = chain([one]);
  sequencer.changeValidators([two, three]);
  for (let count = 0; count < 3; count++) sequencer.produce(ROLLUP, 'd');
  const verifier = verifierFor(sequencer);
  for (let height = 1n; height <= 6n; height++) await verifyAt(verifier, sequencer, height);
  expect(sequencer.asked.filter((question) => question.startsWith('validators'))).toEqual([
    'validators 1',
    'validators 5',
  ]);
});

test('validators that no trusted header announced do not take over', async () => {
  const sequencer = chain([one]);
  const verifier = verifierFor(sequencer);
  await verifyAt(verifier, sequencer, 1n);
  // A thief with a key of his own would continue the chain like this from the second block on.
  const thief = chain([two]);
  const honest = await sequencer.commit(2n);
  const forged = { ...(await thief.commit(2n)).header, lastBlockId: honest.header.lastBlockId };
  const signed = { header: forged, commit: signCommit(forged, [two]) };
  const block = { ...(await thief.filteredBlock(2n, ROLLUP)), hash: signed.commit.blockId.hash };
  await expect(verifier.verify(2n, block, signed, signal)).rejects.toThrow('differ from the announced ones');
  // The refusal left no trace.
  await verifyAt(verifier, sequencer, 2n);
});

test('the block that the rollup stands on names the validators of the next', async () => {
  const sequencer = chain([one]);
  const honest = await sequencer.commit(2n);
  const hash = toHex((await sequencer.commit(1n)).commit.blockId.hash);
  const thief = chain([two]);
  const forged = { ...(await thief.commit(2n)).header, lastBlockId: honest.header.lastBlockId };
  const signed = { header: forged, commit: signCommit(forged, [two]) };
  const block = { ...(await thief.filteredBlock(2n, ROLLUP)), hash: signed.commit.blockId.hash };
  sequencer.lieAboutValidators = getValidators([two]);
  const verifier = verifierFor(sequencer, hash);
  await expect(verifier.verify(2n, block, signed, signal)).rejects.toThrow('differ from the announced ones');
  sequencer.lieAboutValidators = undefined;
  await verifyAt(verifier, sequencer, 2n);
});

/** Each of the blocks has other validators than the one before, but for one of them. */
function changingChain(blocks: number): FakeSequencer {
  const signers = Array.from({ length: blocks + 3 }, (_, index) => testSigner(index + 1));
  const sequencer = new FakeSequencer('test-chain', signers.slice(0, 3));
  for (let height = 1; height <= blocks; height++) {
    sequencer.changeValidators(signers.slice(height, height + 3));
    sequencer.produce(ROLLUP, `text ${height}`);
  }
  return sequencer;
}

test('from a trusted block, blocks in between are skipped, however the validators change', async () => {
  const sequencer = changingChain(20);
  const { hash } = (await sequencer.commit(3n)).commit.blockId;
  const verifier = verifierFor(sequencer, undefined, { height: 3n, hash });
  await verifyAt(verifier, sequencer, 19n);
  await verifyAt(verifier, sequencer, 20n);
  const headers = sequencer.asked.filter((question) => question.startsWith('commit'));
  expect(headers.length).toBeLessThan(20);
  await expect(verifyAt(verifierFor(chain([two]), undefined, { height: 1n, hash }), chain([two]), 3n)).rejects.toThrow(
    'does not follow',
  );
});

test('another block at the trusted height is refused, and nothing is skipped from one that is too old', async () => {
  const sequencer = changingChain(5);
  const hash = new Uint8Array(32);
  await expect(verifyAt(verifierFor(sequencer, undefined, { height: 4n, hash }), sequencer, 4n)).rejects.toThrow(
    'not the trusted one',
  );
  const old = { height: 1n, hash: (await sequencer.commit(1n)).commit.blockId.hash };
  const verifier = verifierFor(sequencer, undefined, old, 1_700_009_999_000);
  await expect(verifyAt(verifier, sequencer, 5n)).rejects.toThrow('older than the trusting period');
});

test('a sequencer that gives other validators than the header names is refused', async () => {
  const sequencer = chain([one]);
  sequencer.lieAboutValidators = getValidators([two]);
  await expect(verifyAt(verifierFor(sequencer), sequencer, 1n)).rejects.toThrow('not those of the header');
});

test('the first block must follow the one that the rollup stands on', async () => {
  const sequencer = chain();
  const hash = toHex((await sequencer.commit(1n)).commit.blockId.hash);
  await verifyAt(verifierFor(sequencer, hash), sequencer, 2n);
  const other = verifierFor(sequencer, '00'.repeat(32));
  await expect(verifyAt(other, sequencer, 2n)).rejects.toThrow('does not follow the block before it');
});

test('a block cannot be left out', async () => {
  const sequencer = chain();
  const verifier = verifierFor(sequencer);
  await verifyAt(verifier, sequencer, 1n);
  const [block, signed] = [await sequencer.filteredBlock(3n, ROLLUP), await sequencer.commit(3n)];
  await expect(verifier.verify(2n, block, signed, signal)).rejects.toThrow('its height is not the one expected');
  await expect(verifyAt(verifier, sequencer, 3n)).rejects.toThrow('does not follow the block before it');
});

type Change = (block: FilteredBlock, signed: SignedHeader) => readonly [FilteredBlock, SignedHeader];
const withHeader =
  (change: Partial<FilteredBlock['header']>): Change =>
  (block, signed) => [{ ...block, header: { ...block.header, ...change } }, signed];

test.each<[string, Change, string]>([
  ['names another hash', (block, signed) => [{ ...block, hash: new Uint8Array(32) }, signed], 'its hash'],
  ['names another chain', withHeader({ chainId: 'other' }), 'its chain id'],
  ['names another height', withHeader({ height: 2n }), 'its height'],
  ['names another time', withHeader({ time: { seconds: 1n, nanos: 5 } }), 'its time'],
  ['names another nanosecond', withHeader({ time: { seconds: 1_700_000_000n, nanos: 6 } }), 'its time'],
  ['names another data hash', withHeader({ dataHash: new Uint8Array(32) }), 'its data hash'],
  ['names another proposer', withHeader({ proposer: new Uint8Array(20) }), 'its proposer'],
  ['withholds the data', (block, signed) => [{ ...block, rollups: [] }, signed], 'withheld'],
  [
    'changes the data',
    (block, signed) => [
      { ...block, rollups: block.rollups.map((entry) => ({ ...entry, transactions: [fromHex('0a0178')] })) },
      signed,
    ],
    'does not cover',
  ],
  [
    'hides that there is data',
    (block, signed) => [{ ...block, rollups: [], allRollupIds: [] }, signed],
    'not in the block',
  ],
  [
    'is signed by two of four',
    (block, { header, commit }) => {
      const absent = { flag: 'absent' } as const;
      return [block, { header, commit: { ...commit, signatures: [...commit.signatures.slice(0, 2), absent, absent] } }];
    },
    'too little power',
  ],
  [
    'has an invalid signature',
    (block, { header, commit }) => {
      const signatures = commit.signatures.map((vote, index) =>
        index === 3 && vote.flag !== 'absent' ? { ...vote, signature: new Uint8Array(64) } : vote,
      );
      return [block, { header, commit: { ...commit, signatures } }];
    },
    'bad signature',
  ],
])('a block that %s is refused, and the honest one goes through after it', async (_, change, problem) => {
  const sequencer = chain();
  const verifier = verifierFor(sequencer);
  const honest = [await sequencer.filteredBlock(1n, ROLLUP), await sequencer.commit(1n)] as const;
  const [block, signed] = change(...honest);
  const refusal = verifier.verify(1n, block, signed, signal);
  await expect(refusal).rejects.toThrow(Rejected);
  await expect(refusal).rejects.toThrow(problem);
  await verifier.verify(1n, ...honest, signal);
});

test('a node that cannot give the validators is no invalid block', async () => {
  const sequencer = chain();
  const verifier = verifierFor(sequencer);
  const honest = [await sequencer.filteredBlock(1n, ROLLUP), await sequencer.commit(1n)] as const;
  sequencer.away = true;
  await expect(verifier.verify(1n, ...honest, signal)).rejects.not.toBeInstanceOf(Rejected);
  sequencer.away = false;
  await verifier.verify(1n, ...honest, signal);
});
