import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryStore } from '@switchyard/machine';
import { afterEach, expect, test } from 'vitest';
import { action, defineRollup } from '../define/definition.ts';
import { toRollup } from '../define/rollup-of.ts';
import { table } from '../define/table.ts';
import { u32 } from '../schema/scalars.ts';
import { signers } from '../testing/tally.ts';
import { testRollup } from '../testing/test-rollup.ts';
import { exportState, importState } from './state-file.ts';

const [alice] = signers;
const accepted = { until: 'accepted' } as const;
const things = table({
  name: 'things',
  key: u32,
  value: u32,
  indexes: { bySize: { key: [u32], of: (size) => [size] } },
});
const shop = defineRollup({
  name: 'shop',
  tables: [things],
  actions: {
    fill: action({
      fields: { from: u32, count: u32 },
      execute({ from, count }, { state }) {
        for (let id = from; id < from + count; id += 1) things.put(state, id, 7);
      },
    }),
  },
  initialState: (state) => things.put(state, 0, 1),
});
const genesis = (members: object = {}) =>
  JSON.stringify({ rollup_name: 'shop', sequencer_chain_id: 'sequencer-0', ...members });

const stopping: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});
async function started(text: string, store = createMemoryStore()) {
  const node = await testRollup(shop, text, { store });
  stopping.push(() => node.stop());
  return node;
}

/** A chain with 2,500 rows, more than one batch, and its exported state. */
async function exported() {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-state-'));
  stopping.push(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'genesis.json.state');
  const node = await started(genesis());
  await node.client.submit.fill({ from: 1, count: 2_499 }, alice, accepted);
  await node.block();
  return { node, file, state: await exportState(node.chain.view.snapshot, file) };
}

// Defect: A chain could not be moved or forked
test('a chain begins with the state of another one: root, rows, indexes and nonces are the same', async () => {
  const { node, file, state } = await exported();
  const { block } = node.chain.view;
  expect(state).toEqual({ number: 1n, hash: block.hash, stateRoot: block.stateRoot, rows: expect.any(Number) });
  const text = genesis({ state_root: state.stateRoot });
  const store = createMemoryStore();
  await importState(toRollup(shop, text), store, file);
  const other = await started(text, store);
  expect(other.chain.view.block.stateRoot).toBe(block.stateRoot);
  expect(other.chain.view.soft).toBe(0n);
  expect([...things.by(other.chain.view.snapshot, 'bySize', [1], { limit: 9 })]).toEqual([[0, 1]]);
  expect(other.node.genesis.chainId).not.toBe(node.node.genesis.chainId);
  await other.client.submit.fill({ from: 5_000, count: 1 }, alice, accepted);
  await other.block();
  expect(other.chain.view.block.executed).toBe(1);
  expect(things.get(other.chain.view.snapshot, 5_000)).toBe(7);
});

test('an import that was interrupted is begun again', async () => {
  const { file, state } = await exported();
  const text = genesis({ state_root: state.stateRoot });
  const store = createMemoryStore();
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const part = `${file}.part`;
  writeFileSync(part, `${lines.slice(0, 1_500).join('\n')}\n`);
  await expect(importState(toRollup(shop, text), store, part)).rejects.toThrow(
    `expected the state of the root ${state.stateRoot}`,
  );
  await expect(started(text, store)).rejects.toThrow('which the genesis names, got');
  await importState(toRollup(shop, text), store, file);
  expect((await started(text, store)).chain.view.block.stateRoot).toBe(state.stateRoot);
});

test.each([
  ['a row', (lines: string[]) => lines.with(-1, '["tables/things/00000000","0808"]')],
  [
    'the block',
    (lines: string[]) => lines.with(0, (lines[0] ?? '').replace(/"receiptsHash":"../, '"receiptsHash":"ff')),
  ],
  ['a row that is no part of the root', (lines: string[]) => [...lines, '["index/x","00"]']],
])('a file in which %s is another is refused', async (_, change) => {
  const { file, state } = await exported();
  writeFileSync(file, change(readFileSync(file, 'utf8').trimEnd().split('\n')).join('\n'));
  const definition = toRollup(shop, genesis({ state_root: state.stateRoot }));
  await expect(importState(definition, createMemoryStore(), file)).rejects.toThrow(/genesis\.json\.state.*: expected/);
});
