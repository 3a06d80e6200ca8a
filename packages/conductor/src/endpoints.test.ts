import { FakeSequencer, testSigner } from '@switchyard/client/testing';
import { fromHex, toHex } from '@switchyard/protocol';
import { eventually, settle } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { FakeRollup, ROLLUP } from './testing/fake-rollup.ts';
import { startConductor } from './testing/world.ts';

/** Two nodes of one chain, and a rollup. */
function world() {
  const nodes = [new FakeSequencer(), new FakeSequencer()] as const;
  let height = 0;
  const produce = (count: number, on: readonly FakeSequencer[] = nodes): void => {
    for (let each = 1; each <= count; each++) for (const node of on) node.produce(ROLLUP, `text ${height + each}`);
    height += count;
  };
  return { nodes, produce, rollup: new FakeRollup() };
}

const texts = (to: number) => Array.from({ length: to }, (_, index) => [`text ${index + 1}`]);
const getHash = async (sequencer: FakeSequencer, height: bigint): Promise<string> =>
  toHex((await sequencer.commit(height)).commit.blockId.hash);

test('one node is cut, then the other: every block is executed once', async () => {
  const { nodes, produce, rollup } = world();
  const [one, two] = nodes;
  produce(5);
  await using conductor = startConductor(nodes, rollup);
  await conductor.reaches(5n);
  one.away = true;
  one.stir();
  produce(5);
  await conductor.reaches(10n);
  one.away = false;
  two.away = true;
  two.stir();
  produce(5);
  await conductor.reaches(15n);
  expect(rollup.texts.slice(1)).toEqual(texts(15));
  expect(conductor.messages()).toContain('switched to another sequencer endpoint');
});

test('a node that is late is left', async () => {
  const { nodes, produce, rollup } = world();
  produce(3);
  produce(20, [nodes[1]]);
  await using conductor = startConductor(nodes, rollup);
  await conductor.reaches(23n);
  expect(rollup.texts.slice(1)).toEqual(texts(23));
});

test('a node that only claims to be far ahead does not take over', async () => {
  const { nodes, produce, rollup } = world();
  const [, liar] = nodes;
  let wanted = 0;
  liar.latestHeight = async () => {
    wanted += 1;
    return 9_000_000n;
  };
  produce(5);
  await using conductor = startConductor(nodes, rollup);
  await conductor.reaches(5n);
  await eventually(() => wanted > 20 || undefined);
  produce(5);
  await conductor.reaches(10n);
  expect(conductor.messages()).not.toContain('switched to another sequencer endpoint');
});

test('a node that cannot push is polled, and the other one pushes', async () => {
  const { nodes, produce, rollup } = world();
  const [one] = nodes;
  one.pushes = false;
  produce(5);
  await using conductor = startConductor(nodes, rollup);
  await conductor.reaches(5n);
  expect(conductor.progress.status()).toMatchObject({ reading: 'poll' });
  one.away = true;
  produce(5);
  await conductor.reaches(10n);
  expect(conductor.progress.status()).toMatchObject({ reading: 'stream' });
});

test('a node that changes a block is named and left', async () => {
  const { nodes, produce, rollup } = world();
  const [one] = nodes;
  one.tamper = (block, signed) => (block.header.height === 2n ? [{ ...block, rollups: [] }, signed] : [block, signed]);
  produce(5);
  await using conductor = startConductor(nodes, rollup);
  await conductor.reaches(5n);
  expect(rollup.texts.slice(1)).toEqual(texts(5));
  expect(conductor.lines).toContainEqual(
    expect.objectContaining({
      msg: 'a sequencer endpoint returned invalid data, not using it for a while',
      url: 'http://node-0',
      reason: expect.stringContaining('block 2 does not verify'),
    }),
  );
});

test('where no node shows a block that verifies, the conductor ends', async () => {
  const { nodes, produce, rollup } = world();
  for (const node of nodes) node.tamper = (block, signed) => [{ ...block, rollups: [] }, signed];
  produce(5);
  await using conductor = startConductor(nodes, rollup);
  expect(String(await conductor.ended)).toMatch(/cannot follow the sequencer: .*block 1/);
  expect(rollup.texts.slice(1)).toEqual([]);
});

/** A sequencer with the same texts, signed by another validator. */
function thief(blocks: number): FakeSequencer {
  const other = new FakeSequencer('test-chain', [testSigner(9)]);
  for (let height = 1; height <= blocks; height++) other.produce(ROLLUP, `forged ${height}`);
  return other;
}

test('two nodes show different chains, and no trusted block decides: the operator has to', async () => {
  const { nodes, produce, rollup } = world();
  produce(5);
  await using conductor = startConductor([nodes[0], thief(5)], rollup);
  expect(String(await conductor.ended)).toMatch(/show different blocks 1: .*SVC_CONDUCTOR_TRUSTED_HEIGHT/);
  expect(rollup.texts.slice(1)).toEqual([]);
});

test('a trusted block decides which of two chains is right', async () => {
  const { nodes, produce, rollup } = world();
  produce(5);
  const checkpoint = { height: 1n, hash: fromHex(await getHash(nodes[1], 1n)) };
  await using conductor = startConductor([thief(5), nodes[1]], rollup, { checkpoint });
  await conductor.reaches(5n);
  expect(rollup.texts.slice(1)).toEqual(texts(5));
});

test('the block that the rollup stands on decides it, too', async () => {
  const { nodes, produce, rollup } = world();
  produce(5);
  {
    await using conductor = startConductor(nodes[1], rollup);
    await conductor.reaches(5n);
  }
  produce(5);
  await using conductor = startConductor([thief(20), nodes[1]], rollup);
  await conductor.reaches(10n);
  expect(rollup.texts.slice(1)).toEqual(texts(10));
});

test('a node of another chain is passed over', async () => {
  const { nodes, produce, rollup } = world();
  produce(5);
  const other = new FakeSequencer('other-chain');
  for (let height = 1; height <= 50; height++) other.produce(ROLLUP, 'of another chain');
  await using conductor = startConductor([other, nodes[1]], rollup);
  await conductor.reaches(5n);
  expect(rollup.texts.slice(1)).toEqual(texts(5));
});

test('a node that claims to have blocks and shows none is left', async () => {
  const { nodes, produce, rollup } = world();
  const [one] = nodes;
  produce(5);
  one.latestHeight = async () => 1_000n;
  one.streamFilteredBlocks = async function* (_from, _rollup, signal) {
    yield { blocks: [], latest: 1_000n };
    while (!signal.aborted) await settle();
    throw signal.reason;
  };
  await using conductor = startConductor(nodes, rollup);
  await conductor.reaches(5n);
  expect(rollup.texts.slice(1)).toEqual(texts(5));
});

test('where one node has deleted the next block, another one that keeps it is read', async () => {
  const { nodes, produce, rollup } = world();
  produce(12);
  nodes[0].lowest = 9n;
  await using conductor = startConductor(nodes, rollup);
  await conductor.reaches(12n);
  expect(rollup.texts.slice(1)).toEqual(texts(12));
});

test('when every node has deleted the next block, the conductor ends with an error that names the remedy', async () => {
  const { nodes, produce, rollup } = world();
  produce(12);
  nodes[0].lowest = 9n;
  nodes[1].lowest = 4n;
  await using conductor = startConductor(nodes, rollup);
  expect(String(await conductor.ended)).toMatch(
    /no sequencer node has block 1, which the rollup needs next: .*lowest height is \d.*SVC_CONDUCTOR_SEQUENCER_GRPC_URL.*restore/,
  );
  expect(rollup.commitments.soft.number).toBe(0n);
});
