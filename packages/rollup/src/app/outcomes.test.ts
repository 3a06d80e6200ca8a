import { createMemoryStore, type Store } from '@switchyard/machine';
import { type TxHash, txHashOf } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OutcomeIndex, writeReceipts } from './outcomes.ts';
import { encodeReceipts, type Receipt } from './receipts.ts';

const RUN = 10;
const hash = (number: number): TxHash => txHashOf(Uint8Array.of(number >> 8, number));

async function write(store: Store, outcomes: OutcomeIndex, block: bigint, receipts: readonly Receipt[]): Promise<void> {
  const overlay = store.begin();
  writeReceipts(overlay, block, encodeReceipts(receipts), RUN);
  await store.commit(store.seal(overlay, (store.head().height ?? -1n) + 1n));
  outcomes.committed(store.snapshot(), block, receipts);
}

// Defect: A copy hid the reason of a refusal
test('finds what an obvious list of all transactions finds, before and after a restart', async () => {
  const receipts = fc.array(fc.record({ number: fc.nat(40), code: fc.constantFrom(0, 3, 4, 6) }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.array(receipts, { maxLength: 12 }), async (blocks) => {
      const store = createMemoryStore();
      const outcomes = new OutcomeIndex();
      const expected = new Map<TxHash, { block: bigint; index: number; code: number }>();
      for (const [position, block] of blocks.entries()) {
        const number = BigInt(position + 1);
        const executed = new Set([...expected].filter(([, { code }]) => code === 0).map(([each]) => each));
        // Nonces see to it that nothing is executed twice.
        const written = block.map(({ number: each, code }) => {
          const again = executed.has(hash(each));
          if (code === 0) executed.add(hash(each));
          return { hash: hash(each), code: again ? 3 : code };
        });
        await write(store, outcomes, number, written);
        for (const [index, { hash: key, code }] of written.entries()) {
          const earlier = expected.get(key)?.code;
          // A copy whose nonce is used up is no outcome of the one before it.
          if (earlier === undefined || (earlier !== 0 && code !== 3)) expected.set(key, { block: number, index, code });
        }
      }
      const again = new OutcomeIndex();
      again.load(store.snapshot());
      for (let number = 0; number <= 41; number += 1) {
        const key = hash(number);
        expect(await outcomes.find(() => store.snapshot(), key)).toEqual(expected.get(key));
        expect(await again.find(() => store.snapshot(), key)).toEqual(expected.get(key));
      }
    }),
    { numRuns: 60 },
  );
});

test('many runs are searched by few rows, and a hash that only begins alike is not found', async () => {
  const store = createMemoryStore();
  const outcomes = new OutcomeIndex();
  const all = Array.from({ length: 60 }, (_, number) => hash(number));
  for (let start = 0; start < all.length; start += 4) {
    const receipts = all.slice(start, start + 4).map((each) => ({ hash: each, code: 0 }));
    await write(store, outcomes, BigInt(start / 4 + 1), receipts);
  }
  for (const [number, each] of all.entries()) {
    expect(await outcomes.find(() => store.snapshot(), each)).toEqual({
      block: BigInt(Math.floor(number / 4) + 1),
      index: number % 4,
      code: 0,
    });
    const alike = `${each.slice(0, 16)}${'0'.repeat(48)}` as TxHash;
    expect(await outcomes.find(() => store.snapshot(), alike)).toBeUndefined();
  }
});
