import { readFileSync } from 'node:fs';
import { createSigner, fromHex } from '@switchyard/protocol';
import { testRollup } from '@switchyard/rollup/testing';
import { COIN } from './state.ts';
import { token } from './token.ts';

/* Executes a fixed history and prints the hash of its last block, which commits to the state: replay.test.ts compares runs. */

const genesis = readFileSync(new URL('../genesis.json', import.meta.url), 'utf8');
const node = await testRollup(token, genesis);
const owner = createSigner(fromHex('2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90'));
const other = createSigner(new Uint8Array(32).fill(1));
const accepted = { until: 'accepted' } as const;
for (const amount of [1n, 10n, 100n]) {
  await node.client.submit.mint({ to: owner.account, amount }, owner, accepted);
  await node.client.submit.transfer({ to: other.account, asset: COIN, amount }, owner, accepted);
  await node.block();
}
console.log((await node.block()).hash);
await node.stop();
