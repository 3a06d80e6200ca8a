import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { createSigner, fromHex } from '@switchyard/protocol';
import { testRollup } from '@switchyard/rollup/testing';
import { COIN } from './state.ts';
import { token } from './token.ts';

const genesis = readFileSync(new URL('../genesis.json', import.meta.url), 'utf8');
/** alice, who owns the coin: her key is published. */
const owner = createSigner(fromHex('2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90'));
const other = createSigner(new Uint8Array(32).fill(1));

/** A whole node in memory: HTTP without a port, and a block whenever the test asks for one. */
const node = await testRollup(token, genesis);
after(() => node.stop());
const { submit, query } = node.client;
const accepted = { until: 'accepted' } as const;
const held = async (account: typeof owner.account) => (await query.balance({ account })).amount;

test('only the owner mints', async () => {
  await submit.mint({ to: other.account, amount: 500n }, owner, accepted);
  await submit.mint({ to: other.account, amount: 700n }, other, accepted);
  await node.block();
  assert.equal(await held(other.account), 500n);
  assert.deepEqual(await query.supply(), { amount: 1_000_500n });
});

test('a transfer moves coins, and none that are not there', async () => {
  await submit.transfer({ to: owner.account, asset: COIN, amount: 200n }, other, accepted);
  await node.block();
  assert.equal(await held(other.account), 300n);
  const tooMuch = submit.transfer({ to: owner.account, asset: COIN, amount: 301n }, other, accepted);
  await assert.rejects(tooMuch, /insufficient balance/);
});

test('a coin of the genesis cannot be withdrawn, since no bridge account has it', async () => {
  const to = 'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2';
  const { hash } = await submit.withdraw({ to, asset: COIN, amount: 1n }, owner, accepted);
  await node.block();
  await assert.rejects(node.client.wait(hash), /action disabled/);
});
