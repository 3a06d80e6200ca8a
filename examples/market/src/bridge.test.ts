import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { definedRollup, localNetwork } from '@switchyard/network';
import { createSigner, fromHex, parseDenom } from '@switchyard/protocol';
import { market } from './market.ts';

const rollup = definedRollup(market, readFileSync(new URL('../genesis.json', import.meta.url), 'utf8'));

/** The whole stack in this process, with a payer of withdrawals for each bridge account of the genesis. */
const network = await localNetwork({ rollups: [rollup], withdrawals: true });
after(() => network.close());
const { submit, query } = network.client(rollup.name);
const { bob } = network.accounts;
const signer = createSigner(fromHex(bob.key));

const held = async (name: string) =>
  (await query.balance({ account: signer.account, asset: parseDenom(name).id })).amount;
/** Repeats a question until its answer is right, since blocks follow one another by themselves. */
async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(setImmediate);
}

for (const [name, payer] of [
  ['nria', `${rollup.name}-withdrawer`],
  ['points', `${rollup.name}-withdrawer-2`],
] as const) {
  test(`${name} come by a deposit, and go back by a withdrawal`, { timeout: 60_000 }, async () => {
    const before = await held(name);
    await network.deposit({ rollup: rollup.name, to: bob.address, asset: name, amount: 1_000n });
    await eventually(async () => (await held(name)) === before + 1_000n);

    await submit.withdraw({ to: bob.address, asset: parseDenom(name).id, amount: 400n }, signer);
    assert.equal(await held(name), before + 600n);
    const payments = async () => (await network.fetch(payer, '/status')).json();
    await eventually(async () => (await payments()).paid === 1);
  });
}
