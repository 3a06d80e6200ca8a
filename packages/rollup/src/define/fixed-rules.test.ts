import { createMemoryStore } from '@switchyard/machine';
import { silentLogger } from '@switchyard/service';
import { expect, test } from 'vitest';
import { text, u32 } from '../schema/scalars.ts';
import { testRollup } from '../testing/test-rollup.ts';
import { action, defineRollup } from './definition.ts';
import type { Fees } from './fees.ts';
import { table } from './table.ts';
import { upgradePlan } from './upgrade-plan.ts';

const GENESIS = JSON.stringify({ rollup_name: 'x', sequencer_chain_id: 'sequencer-0', chain_id: 'x-1' });
const FEES: Fees = { asset: 'nria', perByte: 1n, perStep: 0n };

interface Rules {
  readonly maxActions?: number;
  readonly keyBytes?: number;
  readonly steps?: number;
  readonly fees?: Fees | undefined;
}

function getRollup({ maxActions = 4, keyBytes = 8, steps = 100, fees = FEES }: Rules = {}, without = false) {
  const names = table({ name: 'names', key: text({ maxBytes: keyBytes }), value: u32 });
  const put = action({ fields: { id: u32 }, steps, execute: ({ id }, { state }) => names.put(state, 'a', id) });
  return defineRollup({ name: 'x', tables: [names], actions: { put }, maxActions, ...(!without && { fees }) });
}

/** Each is a rule of all blocks of a chain, which has no block at which it could change. */
test.each([
  ['more actions of a transaction', getRollup({ maxActions: 8 }), 'maxActions is 8, was 4'],
  ['fewer actions of a transaction', getRollup({ maxActions: 2 }), 'maxActions is 2, was 4'],
  ['a longer key', getRollup({ keyBytes: 16 }), /table names.* key is .*16.*, was .*8/],
  ['a shorter key', getRollup({ keyBytes: 4 }), /table names.* key is .*4.*, was .*8/],
  ['more steps of an action', getRollup({ steps: 200 }), 'action put steps is 200, was 100'],
  ['fewer steps of an action', getRollup({ steps: 50 }), 'action put steps is 50, was 100'],
  ['other fees', getRollup({ fees: { ...FEES, perByte: 2n } }), 'fees perByte is "2", was "1"'],
  ['fees in another asset', getRollup({ fees: { ...FEES, asset: 'utia' } }), 'fees asset is "utia", was "nria"'],
  ['no fees any more', getRollup({}, true), /fees is absent, was \{/],
])('%s on a running chain is refused in words, by the plan and by the node', async (_, next, change) => {
  const running = getRollup();
  const { changes, upgrades } = upgradePlan(running.document, next.document, 1n);
  expect(changes).toEqual([{ kind: 'refused', change: expect.stringMatching(change), advice: expect.any(String) }]);
  expect(upgrades).toEqual([]);
  const store = createMemoryStore();
  const node = await testRollup(running, GENESIS, { store, log: silentLogger });
  await node.block();
  await node.stop();
  await expect(testRollup(next as never, GENESIS, { store, log: silentLogger })).rejects.toThrow(change);
  const again = await testRollup(running, GENESIS, { store, log: silentLogger });
  expect(again.chain.view.soft).toBe(1n);
  await again.stop();
});
