import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { definedRollup, localNetwork } from '@switchyard/network';
import { createSigner, fromHex, parseDenom } from '@switchyard/protocol';
import { token } from './token.ts';

const rollup = definedRollup(token, readFileSync(new URL('../genesis.json', import.meta.url), 'utf8'));

/** The whole stack in this process, with a payer of withdrawals. */
const network = await localNetwork({ rollups: [rollup], withdrawals: true });
after(() => network.close());
const { submit, query } = network.client(rollup.name);
const { alice, bob } = network.accounts;
const signer = createSigner(fromHex(alice.key));
const asset = parseDenom(network.asset).id;

/** Repeats a question until its answer is right, since blocks follow one another by themselves. */
async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(setImmediate);
}

test('coins of the sequencer come by a deposit, and go back by a withdrawal', { timeout: 60_000 }, async () => {
  await network.deposit({ rollup: rollup.name, to: alice.address, amount: 1_000n });
  const held = async () => (await query.balance({ account: signer.account, asset })).amount;
  await eventually(async () => (await held()) === 1_000n);

  const { hash } = await submit.withdraw({ to: bob.address, asset, amount: 400n }, signer);
  assert.equal(await held(), 600n);
  const payments = async () => (await network.fetch(`${rollup.name}-withdrawer`, '/status')).json();
  await eventually(async () => (await payments()).paid === 1);
  assert.match(hash, /^[0-9a-f]{64}$/);
});
