import { readFileSync } from 'node:fs';
import { createSigner, fromHex } from '@switchyard/protocol';
import { testRollup } from '@switchyard/rollup/testing';
import { orderbook } from './orderbook.ts';

/* Executes a fixed history and prints the hash of its last block, which commits to the state: replay.test.ts compares runs. */

const genesis = readFileSync(new URL('../genesis.json', import.meta.url), 'utf8');
const node = await testRollup(orderbook, genesis);
const alice = createSigner(fromHex('2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90'));
for (const [isBid, price, amount] of [
  [true, 100, 5n],
  [true, 101, 7n],
  [false, 103, 4n],
  [false, 100, 9n],
] as const) {
  await node.client.submit.place({ isBid, price, amount }, alice, { until: 'accepted' });
  await node.block();
}
console.log((await node.block()).hash);
await node.stop();
