import { createMemoryStore } from '@switchyard/machine';
import { formatAddress, fromHex } from '@switchyard/protocol';
import { afterEach, expect, test } from 'vitest';
import { u32, u64 } from '../schema/scalars.ts';
import { record } from '../schema/shapes.ts';
import { since } from '../schema/since.ts';
import { signers } from '../testing/tally.ts';
import { testRollup } from '../testing/test-rollup.ts';
import { announceUpgrade, fingerprintAt } from './announce.ts';
import { type AnyRollup, action, defineRollup } from './definition.ts';
import { table } from './table.ts';

const [alice, bob] = signers;
const accepted = { until: 'accepted' } as const;
const genesis = (authority: object) =>
  JSON.stringify({ rollup_name: 'shop', sequencer_chain_id: 'sequencer-0', chain_id: 'shop-1', ...authority });
const GENESIS = genesis({ upgrade_authority: { bech32m: formatAddress(alice.account) } });

const old = table({ name: 'things', key: u32, value: record({ size: u32 }) });
const putting = (things: typeof old) =>
  action({ fields: { id: u32 }, execute: ({ id }, { state }) => things.put(state, id, { size: id }) });
const first = defineRollup({ name: 'shop', tables: [old], actions: { put: putting(old), announceUpgrade } });
const AT = 5n;
const grown = table({ name: 'things', key: u32, value: record({ size: u32, price: since(AT, u64) }) });
const second = defineRollup({
  name: 'shop',
  tables: [grown],
  actions: {
    put: action({ fields: { id: u32 }, execute: ({ id }, { state }) => grown.put(state, id, { size: id, price: 9n }) }),
    announceUpgrade,
  },
  migrations: [{ at: AT, run: (state) => grown.put(state, 1_000, { size: 1, price: 1n }) }],
});
const upgrade = { block: AT, definition: fromHex(fingerprintAt(second.document, AT)), release: '2.0.0' };

const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});
async function started(defined: AnyRollup, store = createMemoryStore(), text = GENESIS) {
  const node = await testRollup(defined as typeof first, text, { store });
  stopping.push(() => node.stop());
  return node;
}

// Defect: Old programs executed blocks after an upgrade by old rules
test('a node without the upgrade stops before its block, with the release that it lacks; one with it executes the same chain', async () => {
  const inputs: Uint8Array[][] = [];
  const store = createMemoryStore();
  let node = await started(first, store);
  const block = async (...ids: readonly number[]) => {
    for (const id of ids) await node.client.submit.put({ id }, alice, accepted);
    const data = [...node.composer.queued];
    inputs.push(data);
    await node.block();
  };
  await block(1);
  await node.client.submit.announceUpgrade(upgrade, alice, accepted);
  await block(2);
  await block();
  await block(3);
  const lacking = `block 5 cannot be executed: an upgrade was announced for block 5, and this program lacks it: it needs release "2.0.0", with the definition ${fingerprintAt(second.document, AT)} from that block on`;
  await expect(node.block()).rejects.toThrow(lacking);
  expect(node.chain.view.soft).toBe(4n);
  expect(await node.get('/readyz')).toMatchObject({ status: 503, text: expect.stringContaining('it needs release') });

  // The new program is started at once, and again after each of its blocks, as after a kill.
  for (const ids of [[4], [], [5, 6]]) {
    await node.stop();
    node = await started(second, store);
    await block(...ids);
  }
  const fresh = await started(second);
  for (const data of inputs) await fresh.block({ data });
  expect(fresh.chain.view.block).toEqual(node.chain.view.block);
  expect([...grown.range(fresh.chain.view.snapshot, { limit: 9 })]).toEqual([
    [1, { size: 1, price: 0n }],
    [2, { size: 2, price: 0n }],
    [3, { size: 3, price: 0n }],
    [4, { size: 4, price: 9n }],
    [5, { size: 5, price: 9n }],
    [6, { size: 6, price: 9n }],
    [1_000, { size: 1, price: 1n }],
  ]);
  await node.stop();
  await expect(started(first, store)).rejects.toThrow(
    'got table things: field price is no more; migration at block 5 is no more; put it back',
  );
});

test('the new program may run before the block, and the announcement may be replaced', async () => {
  const store = createMemoryStore();
  const node = await started(second, store);
  await node.client.submit.announceUpgrade({ ...upgrade, definition: new Uint8Array(32) }, alice, accepted);
  await node.client.submit.announceUpgrade(upgrade, alice, accepted);
  for (let number = 1n; number <= AT; number += 1n) await node.block();
  expect(node.chain.view.soft).toBe(AT);
});

test.each([
  ['another account', GENESIS, bob, AT, 'unauthorized'],
  ['a block that is executed', GENESIS, alice, 1n, 'expected a block after 1'],
  ['a chain without an authority', genesis({}), alice, AT, 'action disabled: field upgrade_authority'],
])('an announcement is refused: %s', async (_, text, signer, block, message) => {
  const node = await started(first, createMemoryStore(), text);
  const { hash } = await node.client.submit.announceUpgrade({ ...upgrade, block }, signer, accepted);
  await node.block();
  await expect(node.client.wait(hash)).rejects.toThrow(message);
});
