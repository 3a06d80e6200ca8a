import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemoryLayer, type Mood } from './testing/layer.ts';
import { getChain, getPostedMetadata, getPostedTexts, MemoryStore, ROLLUP, startRelayer } from './testing/world.ts';

/** They fill two transactions or so; each block more adds calls at which a process is killed, and no other order of them. */
const BLOCKS = 4;
/** Two blocks or so share a transaction. */
const SMALL = { batchMs: 5, maxBatchBytes: 1_000 };

/** Everything is posted, and despite all faults, nothing twice; in order, too, unless another process used the key. */
function expectOnce(layer: MemoryLayer, { isShared = false } = {}): void {
  const heights = getPostedMetadata(layer).map(({ header }) => Number(header.height));
  const texts = getPostedTexts(layer, ROLLUP).map((each) => each.join());
  if (isShared) for (const each of [heights, texts]) each.sort();
  expect(heights).toEqual(Array.from({ length: BLOCKS }, (_, index) => index + 1));
  expect(texts).toEqual(heights.map((height) => `text ${height}`));
}

async function finish(
  sequencer: ReturnType<typeof getChain>,
  layer: MemoryLayer,
  store: MemoryStore,
  inFlight: number,
): Promise<void> {
  await using relayer = startRelayer(sequencer, layer, { store, inFlight, ...SMALL });
  await relayer.reaches(BigInt(BLOCKS));
}

test.each([
  ['before', 1],
  ['after', 1],
  ['before', 4],
  ['after', 4],
] as const)('killed %s any of its calls, with %i in flight, it posts each block once', async (when, inFlight) => {
  for (let at = 1; ; at++) {
    const [sequencer, layer, store] = [getChain(BLOCKS), new MemoryLayer(), new MemoryStore()];
    await using relayer = startRelayer(sequencer, layer, { store, inFlight, kill: { at, when }, ...SMALL });
    const end = await Promise.race([relayer.ended, relayer.reaches(BigInt(BLOCKS))]);
    await finish(sequencer, layer, store, inFlight);
    expectOnce(layer);
    if (end === true) {
      expect(at).toBeGreaterThan(10);
      return;
    }
  }
});

test('killed again and again, while the layer forgets, loses answers and another uses the key, it posts each block once', async () => {
  const kills = fc.array(fc.record({ at: fc.integer({ min: 1, max: 12 }), when: fc.constantFrom('before', 'after') }), {
    maxLength: 6,
  });
  // One in this many; zero is never.
  const odds = fc.record({
    fails: fc.constantFrom(0, 2, 5),
    forgets: fc.constantFrom(0, 2, 6),
    delays: fc.constantFrom(0, 2, 4),
    intrudes: fc.constantFrom(0, 9),
  });
  const dice = fc.infiniteStream(fc.nat(1_000_000));
  await fc.assert(
    fc.asyncProperty(
      kills,
      odds,
      dice,
      fc.constantFrom(1, 2, 4),
      async (plan, { fails, forgets, delays, intrudes }, numbers, inFlight) => {
        const hits = (oneIn: number) => oneIn > 0 && numbers.next().value % oneIn === 0;
        const mood: Mood = {
          fails: () => (hits(fails) ? (hits(2) ? 'before' : 'after') : undefined),
          forgets: () => hits(forgets),
          includes: () => !hits(delays),
          intrudes: () => hits(intrudes),
        };
        const [sequencer, layer, store] = [getChain(BLOCKS), new MemoryLayer(), new MemoryStore()];
        layer.mood = mood;
        for (const kill of plan) {
          await using relayer = startRelayer(sequencer, layer, { store, inFlight, kill, ...SMALL });
          await Promise.race([relayer.ended, relayer.reaches(BigInt(BLOCKS))]);
        }
        await finish(sequencer, layer, store, inFlight);
        expectOnce(layer, { isShared: intrudes > 0 });
      },
    ),
    // New ones in each run of the suite.
    { numRuns: 12 },
  );
});
