import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { createSigner } from '@switchyard/protocol';
import { testRollup } from '@switchyard/rollup/testing';
import { counter } from './counter.ts';

const genesis = readFileSync(new URL('../genesis.json', import.meta.url), 'utf8');
const signer = createSigner(new Uint8Array(32).fill(1));

/** A whole node in memory: HTTP without a port, and a block whenever the test asks for one. */
const node = await testRollup(counter, genesis);
after(() => node.stop());
const { submit, query } = node.client;
const accepted = { until: 'accepted' } as const;

test('starts at the total of the genesis', async () => {
  assert.deepEqual(await query.total(), { total: 100n });
});

test('adds what is submitted, once it is in a block', async () => {
  await submit.add({ amount: 5n }, signer, accepted);
  assert.deepEqual(await query.total(), { total: 100n });
  await node.block();
  assert.deepEqual(await query.total(), { total: 105n });
});

test('refuses to add nothing', async () => {
  await assert.rejects(submit.add({ amount: 0n }, signer, accepted), /empty: field amount/);
});

test('a transaction that would overflow, and bytes from a stranger, change nothing', async () => {
  await submit.add({ amount: (1n << 64n) - 1n }, signer, accepted);
  await node.block({ data: [new Uint8Array([1, 2, 3])] });
  assert.deepEqual(await query.total(), { total: 105n });
});
