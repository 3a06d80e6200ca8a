import { createMemoryStore } from '@switchyard/machine';
import { afterEach, expect, test } from 'vitest';
import { Overtime, withTimeLimit } from '#time-limit';
import { action, defineRollup } from '../define/definition.ts';
import { toRollup } from '../define/rollup-of.ts';
import { signTransaction } from '../define/transaction.ts';
import { FakeComposer } from '../testing/fake-composer.ts';
import { framed, signers } from '../testing/tally.ts';
import { testNode } from '../testing/test-node.ts';

const [alice, bob] = signers;
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
  expect(() => withTimeLimit(20, stubborn)).toThrow(Overtime);
  expect(withTimeLimit(20_000, () => 5)).toBe(5);
});

// Defect: A handler that never ends held up the node in silence
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
  const defined = toRollup(rollup, GENESIS);
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

// Defect: A `check` or `spends` that never ends held up the node at its first submission, and at each start after it
test('code that never ends at intake is ended without a setting: the others of its batch are taken, and it rests', async () => {
  let begun = 0;
  const endless = (): never => {
    begun += 1;
    for (;;);
  };
  const { execute } = action({ fields: {}, execute: () => undefined });
  const rollup = defineRollup({
    name: 'x',
    actions: {
      fine: { fields: {}, execute },
      check: { fields: {}, check: endless, execute },
      spends: { fields: {}, spends: endless, execute },
    },
  });
  const defined = toRollup(rollup, GENESIS);
  const composer = new FakeComposer();
  const { chainId } = defined.genesis;
  const signed = (nonce: number, kind: 'fine' | 'check' | 'spends', signer = alice) =>
    signTransaction(rollup, { nonce, chainId, actions: [{ kind }] }, signer);
  // A program without the bug has taken one, which this one finds at its start.
  await composer.submitBatch([await signed(0, 'check', bob)], 0n);
  const node = await testNode(defined, { store: createMemoryStore(), composer });
  stopping.push(() => node.stop());
  const items = [await signed(0, 'fine'), await signed(1, 'check'), await signed(1, 'spends'), await signed(1, 'fine')];
  const batch = await node.post('/v1/transactions:batch', framed(...items));
  const reason = (kind: string) =>
    `nothing was accepted: action ${kind}: its code has not ended, so that this node takes none for 60 s`;
  expect([batch.status, batch.body]).toEqual([
    200,
    {
      accepted: 2,
      refused: [
        { index: 1, code: 'unavailable', reason: reason('check') },
        { index: 2, code: 'unavailable', reason: reason('spends') },
      ],
    },
  ]);
  const { status, body } = await node.post('/v1/transactions', await signed(2, 'spends'));
  expect([status, body]).toMatchObject([503, { code: 'unavailable' }]);
  expect(begun).toBe(2);
  const ready = await node.get('/readyz');
  expect([ready.status, ready.body]).toMatchObject([
    200,
    { status: 'degraded', reason: 'intake: spends of action spends has not ended within 2000 ms, and was ended' },
  ]);
}, 20_000);
