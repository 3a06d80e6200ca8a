import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { createSigner } from '@switchyard/protocol';
import { testNode } from '@switchyard/rollup/testing';
import { MAX_TOTAL } from './add.ts';
import { counter } from './counter.ts';
import { parseGenesis } from './genesis.ts';
import { signAdd } from './transaction.ts';

const file = new URL('../genesis.json', import.meta.url);
const genesis = parseGenesis(readFileSync(file, 'utf8'), 'genesis.json');
const signer = createSigner(new Uint8Array(32).fill(1));
const adding = (nonce: number, amount: bigint) => signAdd({ nonce, chainId: 'counter', amount }, signer);

/** A whole node in memory: HTTP without a port, and a block whenever the test asks for one. */
const node = await testNode(counter(genesis));
after(() => node.stop());
const total = async () => (await node.get('/v1/total')).body;

test('starts at the total of the genesis', async () => {
  assert.deepEqual(await total(), { total: '100' });
});

test('adds what is submitted, once it is in a block', async () => {
  assert.equal((await node.post('/v1/transactions', adding(0, 5n))).status, 202);
  assert.deepEqual(await total(), { total: '100' });
  await node.block();
  assert.deepEqual(await total(), { total: '105' });
});

test('refuses to add nothing', async () => {
  const { status, body } = await node.post('/v1/transactions', adding(1, 0n));
  assert.equal(status, 400);
  assert.match(JSON.stringify(body), /empty/);
});

test('a transaction that would overflow, and bytes from a stranger, change nothing', async () => {
  await node.block({ data: [adding(1, MAX_TOTAL), new Uint8Array([1, 2, 3])] });
  assert.deepEqual(await total(), { total: '105' });
});
