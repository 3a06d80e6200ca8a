import { FakeSequencer } from '@switchyard/client/testing';
import { expect, test } from 'vitest';
import { Diverged } from './input-chain.ts';
import { FakeRollup, ROLLUP } from './testing/fake-rollup.ts';
import { startConductor } from './testing/world.ts';

/** A rollup that records its inputs and has executed this many blocks of a sequencer. */
async function executed(blocks: number) {
  const sequencer = new FakeSequencer();
  for (let height = 1; height <= blocks; height++) sequencer.produce(ROLLUP, `text ${height}`);
  const rollup = new FakeRollup();
  rollup.digests = new Map();
  {
    await using conductor = startConductor(sequencer, rollup);
    await conductor.reaches(BigInt(blocks));
  }
  return { sequencer, rollup };
}

const forged = { kind: 'sequencedData', data: new TextEncoder().encode('made up') } as const;

/** The next sequencer block, and a block of the rollup that claims to be made from it. */
async function forgeNext(sequencer: FakeSequencer, rollup: FakeRollup): Promise<void> {
  sequencer.produce(ROLLUP, 'honest');
  const { hash, header } = await sequencer.filteredBlock(sequencer.height, ROLLUP);
  rollup.forge([forged], header.time, Buffer.from(hash).toString('hex'));
}

const DIVERGED =
  /^block 4 of the rollup was not made from the sequencer's data: expected input digest [0-9a-f]{64}, got [0-9a-f]{64}; .*remove the rollup's database/;

test('a conductor that is started again compares what is there, and continues', async () => {
  const { sequencer, rollup } = await executed(5);
  sequencer.produce(ROLLUP, 'text 6');
  await using conductor = startConductor(sequencer, rollup);
  await conductor.reaches(6n);
  expect(conductor.messages()).toContain('the blocks of the rollup are made from the data of the sequencer');
});

// Defect: Conductor continued from a block that it had not executed
test('a block that another program made up, with the hash and the time of the real one, ends the conductor', async () => {
  const { sequencer, rollup } = await executed(3);
  await forgeNext(sequencer, rollup);
  await using conductor = startConductor(sequencer, rollup);
  const error = await conductor.ended;
  expect(error).toBeInstanceOf(Diverged);
  expect(String(error instanceof Error && error.message)).toMatch(DIVERGED);
  expect(rollup.commitments.soft.number).toBe(4n);
});

test('so does one that honest blocks were executed on since', async () => {
  const { sequencer, rollup } = await executed(3);
  await forgeNext(sequencer, rollup);
  for (let number = 5; number <= 8; number++) {
    sequencer.produce(ROLLUP, `text ${number}`);
    const { hash, header } = await sequencer.filteredBlock(sequencer.height, ROLLUP);
    const entry = { kind: 'sequencedData', data: new TextEncoder().encode(`text ${number}`) } as const;
    rollup.forge([entry], header.time, Buffer.from(hash).toString('hex'));
  }
  await using conductor = startConductor(sequencer, rollup);
  const error = await conductor.ended;
  expect(String(error instanceof Error && error.message)).toMatch(DIVERGED);
});

test('a block that is made up while the conductor runs ends it at the next session', async () => {
  const { sequencer, rollup } = await executed(2);
  await using conductor = startConductor(sequencer, rollup);
  sequencer.produce(ROLLUP, 'text 3');
  await conductor.reaches(3n);
  rollup.forgetSession();
  await forgeNext(sequencer, rollup);
  sequencer.produce(ROLLUP, 'text 5');
  expect(await conductor.ended).toBeInstanceOf(Diverged);
  expect(rollup.commitments.soft.number).toBe(4n);
});

test('a block that is made up before the sequencer has its height is found when it has', async () => {
  const { sequencer, rollup } = await executed(3);
  rollup.forge([forged], { seconds: 5n, nanos: 0 }, 'ab'.repeat(32));
  await using conductor = startConductor(sequencer, rollup);
  sequencer.produce(ROLLUP, 'text 4');
  expect(await conductor.ended).toBeInstanceOf(Diverged);
});

test('a rollup that records something else than it was given ends the conductor at that block', async () => {
  const { sequencer, rollup } = await executed(2);
  await using conductor = startConductor(sequencer, rollup);
  rollup.beforeExecution = () => {
    const last = rollup.digests?.get(2n);
    if (last !== undefined) rollup.digests?.set(2n, { ...last, digest: new Uint8Array(32) });
  };
  sequencer.produce(ROLLUP, 'text 3');
  expect(await conductor.ended).toBeInstanceOf(Diverged);
});

test('blocks from before digests were kept are left out, and the next ones are compared', async () => {
  const { sequencer, rollup } = await executed(4);
  rollup.digests?.clear();
  sequencer.produce(ROLLUP, 'text 5');
  {
    await using conductor = startConductor(sequencer, rollup);
    await conductor.reaches(5n);
  }
  expect([...(rollup.digests?.keys() ?? [])]).toEqual([5n]);
  sequencer.produce(ROLLUP, 'text 6');
  await using conductor = startConductor(sequencer, rollup);
  await conductor.reaches(6n);
});

test('only as many blocks as asked for are compared', async () => {
  const { sequencer, rollup } = await executed(20);
  sequencer.asked.length = 0;
  sequencer.produce(ROLLUP, 'text 21');
  await using conductor = startConductor(sequencer, rollup, { checkedBlocks: 3 });
  await conductor.reaches(21n);
  expect(sequencer.asked.filter((what) => what.startsWith('stream'))).toEqual(['stream 18', 'stream 21']);
});

const GIVEN_UP = 'the sequencer does not have the blocks with which the rollup could be compared';

/** Another node of the chain that `executed` makes. */
function getCopy(blocks: number): FakeSequencer {
  const copy = new FakeSequencer();
  for (let height = 1; height <= blocks; height++) copy.produce(ROLLUP, `text ${height}`);
  return copy;
}

// Defect: a conductor skipped the comparison of its rollup's history if one of two endpoints had deleted the blocks
test('where one node has deleted the blocks, those of another are compared', async () => {
  const { sequencer, rollup } = await executed(3);
  await forgeNext(sequencer, rollup);
  const pruned = getCopy(3);
  pruned.produce(ROLLUP, 'honest');
  pruned.lowest = 3n;
  await using conductor = startConductor([pruned, sequencer], rollup);
  expect(await conductor.ended).toBeInstanceOf(Diverged);
  expect(conductor.messages()).not.toContain(GIVEN_UP);
});

test.each([
  [
    'has deleted them too',
    (other: FakeSequencer) => {
      other.lowest = 3n;
    },
  ],
  [
    'does not answer',
    (other: FakeSequencer) => {
      other.away = true;
    },
  ],
])(
  'where one node has deleted the blocks and the other one %s, the rollup is followed with one warning',
  async (_, worsen) => {
    const { sequencer, rollup } = await executed(3);
    const other = getCopy(4);
    worsen(other);
    sequencer.lowest = 3n;
    sequencer.produce(ROLLUP, 'text 4');
    await using conductor = startConductor([sequencer, other], rollup);
    await conductor.reaches(4n);
    expect(conductor.messages().filter((message) => message === GIVEN_UP)).toHaveLength(1);
  },
);

test('a rollup that keeps no digests is followed, with one warning', async () => {
  const { sequencer, rollup } = await executed(2);
  rollup.digests = undefined;
  await using conductor = startConductor(sequencer, rollup);
  sequencer.produce(ROLLUP, 'text 3');
  await conductor.reaches(3n);
  rollup.forgetSession();
  sequencer.produce(ROLLUP, 'text 4');
  await conductor.reaches(4n);
  const warning = 'the rollup does not record what its blocks are made from; only hashes are compared';
  expect(conductor.messages().filter((message) => message === warning)).toHaveLength(1);
});

test('what a sequencer block holds for the rollup is what is compared, in its order', async () => {
  const { sequencer, rollup } = await executed(3);
  sequencer.produce(ROLLUP, 'first', 'second');
  const { hash, header } = await sequencer.filteredBlock(4n, ROLLUP);
  const data = ['second', 'first'].map(
    (text) => ({ kind: 'sequencedData', data: new TextEncoder().encode(text) }) as const,
  );
  rollup.forge(data, header.time, Buffer.from(hash).toString('hex'));
  await using conductor = startConductor(sequencer, rollup);
  expect(await conductor.ended).toBeInstanceOf(Diverged);
});
