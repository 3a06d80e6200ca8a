import { createMemoryStore } from '@switchyard/machine';
import { afterEach, expect, test } from 'vitest';
import { action, defineRollup } from '../define/definition.ts';
import { rollupOf } from '../define/rollup-of.ts';
import { signTransaction } from '../define/transaction.ts';
import { signers } from '../testing/tally.ts';
import { testNode } from '../testing/test-node.ts';
import { Overtime, within } from './time-limit.ts';

const [alice] = signers;
const GENESIS = JSON.stringify({ rollup_name: 'x', sequencer_chain_id: 'sequencer-0', canonical_transactions: true });

const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});

test('work that never ends is ended, and what it catches does not hold it', () => {
  const stubborn = (): never => {
    for (;;) {
      try {
        for (;;);
      } catch {}
    }
  };
  expect(() => within(20, stubborn)).toThrow(Overtime);
  expect(within(20, () => 5)).toBe(5);
});

test('an action that never ends stops the block with its name, and is not begun again at once', async () => {
  let begun = 0;
  const spin = action({
    fields: {},
    execute() {
      begun += 1;
      for (;;);
    },
  });
  const rollup = defineRollup({ name: 'x', actions: { spin } });
  const defined = rollupOf(rollup, GENESIS);
  const node = await testNode(defined, { store: createMemoryStore(), handlerLimitMs: 50 });
  stopping.push(() => node.stop());
  const { chainId } = defined.genesis;
  const data = [await signTransaction(rollup, { nonce: 0, chainId, actions: [{ kind: 'spin' }] }, alice)];
  const stopped =
    /block 1 cannot be executed: .*action spin of transaction \w+ has not ended within 50 ms, and was ended/;
  await expect(node.block({ data })).rejects.toThrow(stopped);
  await expect(node.block({ data })).rejects.toThrow(stopped);
  expect(begun).toBe(1);
  const { status, text } = await node.get('/readyz');
  expect([status, text]).toEqual([503, expect.stringMatching(stopped)]);
  // Another block has nothing to do with it.
  await node.block({ data: [], sequencerBlockHash: 'ab'.repeat(32) });
  expect(node.chain.view.soft).toBe(1n);
});
