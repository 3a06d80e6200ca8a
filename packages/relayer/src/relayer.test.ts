import { FakeSequencer, testSigner } from '@switchyard/client/testing';
import { createValidator, rollupIdFromBytes, verifyCommit } from '@switchyard/protocol';
import { eventually, manualClock, settle } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { WrongChain } from './reader.ts';
import { MemoryLayer } from './testing/layer.ts';
import {
  CHAIN,
  getChain,
  getPostedMetadata,
  getPostedTexts,
  MemoryStore,
  OTHER,
  ROLLUP,
  startRelayer,
} from './testing/world.ts';

const bigints = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
const getHeights = (layer: MemoryLayer) => getPostedMetadata(layer).map(({ header }) => header.height);
const upTo = (height: number) => Array.from({ length: height }, (_, index) => BigInt(index + 1));

test('posts what the sequencer has, and each new block; a block proves itself', async () => {
  const [sequencer, layer] = [getChain(3), new MemoryLayer()];
  await using relayer = startRelayer(sequencer, layer);
  await relayer.reaches(3n);
  sequencer.produce(ROLLUP);
  sequencer.produceBlock(
    new Map([
      [ROLLUP, [new TextEncoder().encode('x')]],
      [OTHER, [new TextEncoder().encode('y')]],
    ]),
  );
  await relayer.reaches(5n);
  expect(getHeights(layer)).toEqual(upTo(5));
  expect(getPostedTexts(layer, ROLLUP)).toEqual([['text 1'], ['text 2'], ['text 3'], ['x']]);
  expect(getPostedTexts(layer, OTHER)).toEqual([['y']]);
  const places = relayer.store.posted(1n, 9n);
  expect(places.map(({ height }) => height)).toEqual(upTo(5));
  const included = new Set(layer.included.map(({ height }) => height));
  expect(new Set(places.map(({ daHeight }) => daHeight))).toEqual(included);
  const validators = [createValidator(testSigner(1).publicKey, 10n)];
  for (const { signed } of getPostedMetadata(layer)) {
    if (signed === undefined) throw new Error('no signed header');
    verifyCommit(CHAIN, validators, signed);
  }
});

test('a quiet sequencer is asked rarely, and its next block is read as soon as it is pushed', async () => {
  const [sequencer, layer, clock] = [getChain(3), new MemoryLayer(), manualClock()];
  await using relayer = startRelayer(sequencer, layer, { clock });
  const fetched = (height: bigint) =>
    eventually(() => JSON.stringify(relayer.progress.status(), bigints).includes(`"fetchedHeight":"${height}"`));
  await fetched(3n);
  await clock.advance(1_000);
  const before = sequencer.asked.length;
  for (let seconds = 0; seconds < 60; seconds += 1) await clock.advance(1_000);
  // Height and stream, each ten seconds.
  expect(sequencer.asked.length - before).toBeLessThanOrEqual(14);
  sequencer.produce(ROLLUP);
  await fetched(4n);
});

test('a quiet sequencer that does not push is asked again', async () => {
  const [sequencer, layer] = [getChain(1), new MemoryLayer()];
  sequencer.pushes = false;
  await using relayer = startRelayer(sequencer, layer);
  await relayer.reaches(1n);
  await eventually(() => sequencer.asked.filter((question) => question.startsWith('stream')).length > 2);
  sequencer.produce(ROLLUP);
  await relayer.reaches(2n);
});

test('many blocks share a transaction, and the first one of each has the validators', async () => {
  const [sequencer, layer] = [getChain(40), new MemoryLayer()];
  await using relayer = startRelayer(sequencer, layer, { batchMs: 1_000 });
  await relayer.reaches(40n);
  expect(layer.included.length).toBeLessThan(10);
  const withValidators = getPostedMetadata(layer).filter(({ validators }) => validators !== undefined);
  expect(withValidators).toHaveLength(layer.included.length);
});

test('a validator set that changes is posted with the first block that it signs', async () => {
  const [sequencer, layer] = [getChain(2), new MemoryLayer()];
  sequencer.changeValidators([testSigner(2), testSigner(3)]);
  for (let count = 0; count < 3; count++) sequencer.produce(ROLLUP);
  await using relayer = startRelayer(sequencer, layer, { batchMs: 10_000 });
  await relayer.reaches(5n);
  const sizes = getPostedMetadata(layer).map(({ validators }) => validators?.length);
  expect(sizes[3]).toBe(2);
});

test('after a restart it continues behind the last block, which the next must follow', async () => {
  const [sequencer, layer, store] = [getChain(4), new MemoryLayer(), new MemoryStore()];
  {
    await using relayer = startRelayer(sequencer, layer, { store });
    await relayer.reaches(4n);
  }
  sequencer.produce(ROLLUP, 'text 5');
  {
    await using relayer = startRelayer(sequencer, layer, { store });
    await relayer.reaches(5n);
  }
  expect(getHeights(layer)).toEqual(upTo(5));
  const other = new FakeSequencer(CHAIN, [testSigner(9)]);
  for (let height = 1; height <= 8; height++) other.produce(ROLLUP, 'another history');
  await using relayer = startRelayer(other, layer, { store });
  while (!(relayer.progress.trouble ?? '').includes('does not follow')) await settle();
  expect(getHeights(layer)).toEqual(upTo(5));
});

test('begins where it is set to begin', async () => {
  const [sequencer, layer] = [getChain(6), new MemoryLayer()];
  await using relayer = startRelayer(sequencer, layer, { startHeight: 5n });
  await relayer.reaches(6n);
  expect(getHeights(layer)).toEqual([5n, 6n]);
});

test('a rollup in the reserved range, or not to be included, is left out and listed', async () => {
  const reserved = rollupIdFromBytes(Uint8Array.from({ length: 32 }, (_, index) => (index < 9 ? 0 : index)));
  const [sequencer, layer] = [new FakeSequencer(CHAIN), new MemoryLayer()];
  const data = [new TextEncoder().encode('data')];
  sequencer.produceBlock(
    new Map([
      [ROLLUP, data],
      [OTHER, data],
      [reserved, data],
    ]),
  );
  await using relayer = startRelayer(sequencer, layer, { onlyRollups: new Set([ROLLUP, reserved]) });
  await relayer.reaches(1n);
  expect(getPostedMetadata(layer)[0]?.rollupIds).toEqual([reserved, ROLLUP, OTHER].sort());
  expect(layer.included[0]?.blobs).toHaveLength(2);
  expect(relayer.progress.status()).toMatchObject({
    leftOut: expect.arrayContaining([
      { rollup: reserved, reason: 'reserved', blocks: 1 },
      { rollup: OTHER, reason: 'excluded', blocks: 1 },
    ]),
  });
  expect(await relayer.metrics.text()).toContain('rollup_data_left_out_total{reason="reserved"} 1');
});

test('one node that shows what does not verify is left for another', async () => {
  const [one, two, layer] = [getChain(3), getChain(3), new MemoryLayer()];
  one.tamper = (block, signed) => [{ ...block, rollups: [] }, signed];
  await using relayer = startRelayer([one, two], layer);
  await relayer.reaches(3n);
  expect(getPostedTexts(layer, ROLLUP)).toEqual([['text 1'], ['text 2'], ['text 3']]);
});

test('a sequencer that is away, and one that shows what does not verify, are waited for', async () => {
  const [sequencer, layer] = [getChain(3), new MemoryLayer()];
  sequencer.away = true;
  await using relayer = startRelayer(sequencer, layer);
  while (!(relayer.progress.trouble ?? '').includes('away')) await settle();
  sequencer.away = false;
  const honest = sequencer.tamper;
  sequencer.tamper = (block, signed) => [{ ...block, hash: new Uint8Array(32) }, signed];
  while (!(relayer.progress.trouble ?? '').includes('its hash')) await settle();
  sequencer.tamper = honest;
  await relayer.reaches(3n);
  expect(relayer.progress.trouble).toBeUndefined();
});

test.each<[string, (layer: MemoryLayer) => void, (layer: MemoryLayer) => void, string]>([
  [
    'the layer is away',
    (layer) => {
      layer.mood = { ...layer.mood, fails: (call) => (call === 'prepare' ? 'before' : undefined) };
    },
    (layer) => {
      layer.mood = { ...layer.mood, fails: () => undefined };
    },
    'the node is away',
  ],
  [
    'the price is too high',
    (layer) => {
      layer.price = 11;
    },
    (layer) => {
      layer.price = 1;
    },
    'the layer asks for 11 utia per gas, more than the limit of 10',
  ],
  [
    'it refuses for a reason that signing does not change',
    (layer) => {
      layer.refusal = 'code 5: insufficient funds';
    },
    (layer) => {
      layer.refusal = undefined;
    },
    'insufficient funds',
  ],
])('while %s blocks wait, with the reason shown', async (_, begin, end, reason) => {
  const [sequencer, layer] = [getChain(3), new MemoryLayer()];
  begin(layer);
  await using relayer = startRelayer(sequencer, layer);
  while (!(relayer.progress.trouble ?? '').includes(reason)) await settle();
  expect(relayer.progress.status()).toMatchObject({ waitsFor: expect.stringContaining(reason), postedHeight: 0n });
  end(layer);
  await relayer.reaches(3n);
  expect(getHeights(layer)).toEqual(upTo(3));
  expect(relayer.progress.trouble).toBeUndefined();
});

test('a balance below the limit is logged once and shown', async () => {
  const [sequencer, layer] = [getChain(1), new MemoryLayer()];
  layer.funds = 90n;
  await using relayer = startRelayer(sequencer, layer);
  await relayer.reaches(1n);
  while (!JSON.stringify(relayer.lines).includes('runs dry')) await settle();
  expect(relayer.progress.status()).toMatchObject({ isBalanceLow: true, feesSpent: 7n });
});

test('another chain ends it: of the sequencer, of the layer, of the state', async () => {
  const [layer, store] = [new MemoryLayer(), new MemoryStore()];
  await using wrongSequencer = startRelayer(new FakeSequencer('other'), layer);
  expect(await wrongSequencer.ended).toBeInstanceOf(WrongChain);
  await using wrongLayer = startRelayer(getChain(1), layer, { daChainId: 'mainnet' });
  expect(await wrongLayer.ended).toBeInstanceOf(WrongChain);
  {
    await using relayer = startRelayer(getChain(1), layer, { store });
    await relayer.reaches(1n);
  }
  await using wrongState = startRelayer(getChain(1), layer, { store, sequencerChainId: 'other' });
  expect(String(await wrongState.ended)).toContain('the state is of test-chain on layer, not of other on layer');
});
