import { FakeSequencer, getValidators, testSigner } from '@switchyard/client/testing';
import { rollupIdFromBytes } from '@switchyard/protocol';
import { manualClock } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { Collector } from './collector.ts';
import { type PostableBlock, postableBlock } from './postable.ts';

const CHAIN = 'test-chain';
const ROLLUP = rollupIdFromBytes(new Uint8Array(32).fill(7));

/** Blocks with and without data of a rollup. */
async function getBlocks(...hasData: readonly boolean[]): Promise<PostableBlock[]> {
  const sequencer = new FakeSequencer(CHAIN);
  for (const each of hasData) sequencer.produceBlock(new Map(each ? [[ROLLUP, [new Uint8Array(9)]]] : []));
  const validators = getValidators([testSigner(1)]);
  return Promise.all(
    hasData.map(async (_, index) => {
      const height = BigInt(index + 1);
      const [block, signed] = [await sequencer.sequencerBlock(height), await sequencer.commit(height)];
      const options = { sequencerChainId: CHAIN, onlyRollups: new Set<never>(), leftOut: () => undefined };
      return postableBlock({ block, signed, validators, isNewSet: false }, options);
    }),
  );
}

// Defect: Each empty block posted on its own
test('blocks without data of rollups wait for each other, and one with data takes them along without delay', async () => {
  const clock = manualClock();
  const stop = new AbortController();
  const bounds = { maxBytes: 1_000_000, mostBytes: 7_800_000, maxWaitingBytes: 1_000_000, leftOut: () => undefined };
  const collector = new Collector({ height: 1n, entry: 0 }, { ...bounds, batchMs: 1_000 }, clock);
  const running = collector.run(stop.signal);
  const blocks = await getBlocks(false, false, false, false, true, false, false);
  const push = async (...some: readonly (PostableBlock | undefined)[]) => {
    for (const block of some) {
      if (block !== undefined) await collector.push(block, stop.signal);
      await clock.advance(2_000);
    }
  };
  const first = collector.take(stop.signal);
  await push(...blocks.slice(0, 5));
  expect((await first).to.height).toBe(6n);
  expect(clock.now()).toBe(10_000);
  // Nothing with data comes: after half a minute they are posted all the same.
  const second = collector.take(stop.signal);
  await push(...blocks.slice(5));
  await clock.advance(26_000);
  expect((await second).to.height).toBe(8n);
  stop.abort();
  await running;
});
