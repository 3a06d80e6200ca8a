import { readFileSync } from 'node:fs';
import { createSigner } from '@switchyard/protocol';
import { testRollup } from '@switchyard/rollup/testing';
import { counter } from './counter.ts';

/* Executes a fixed history and prints the hash of its last block, which commits to the state: replay.test.ts compares runs. */

const genesis = readFileSync(new URL('../genesis.json', import.meta.url), 'utf8');
const node = await testRollup(counter, genesis);
const signer = createSigner(new Uint8Array(32).fill(1));
for (const amount of [1n, 10n, 100n]) {
  await node.client.submit.add({ amount }, signer, { until: 'accepted' });
  await node.block();
}
console.log((await node.block()).hash);
await node.stop();
