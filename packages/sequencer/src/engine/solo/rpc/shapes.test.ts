import { createHash } from 'node:crypto';
import { manualClock } from '@switchyard/service/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFixture, type Fixture } from '../testing.ts';

/**
 * Answers as CometBFT 0.38 gives them, character by character: 64-bit numbers in quotes and narrower ones without,
 * upper-case hashes, base64 bytes, `null` for no bytes and for no list, and members that are left out. Written down
 * from its sources and published answers.
 */

let f: Fixture;
const TX_HASH = createHash('sha256').update('city=Bern').digest('hex').toUpperCase();

beforeAll(async () => {
  const clock = manualClock();
  const now = () => ({ seconds: 1_750_000_000n + BigInt(Math.floor(clock.now() / 1_000)), nanos: 120_000_000 });
  f = createFixture(clock, now);
  await f.start({ blockIntervalMs: 1_000, emptyBlockIntervalMs: 2_000 });
  await f.reach(1n);
  const included = f.include('city=Bern');
  await clock.advance(1_000);
  await included;
  const third = f.reach(3n);
  await clock.advance(2_000);
  await third;
});
afterAll(() => f.dispose());

async function get(path: string): Promise<unknown> {
  const text = await (await fetch(`${f.url}${path}`)).text();
  const { port } = new URL(f.url);
  const { result, error } = JSON.parse(text.replaceAll(`:${port}`, ':26657')) as { result?: unknown; error?: unknown };
  return result ?? error;
}

test.each([
  '/status',
  '/block?height=1',
  '/header?height=9',
  '/block?height=2',
  '/commit?height=2',
  '/commit',
  '/block_results?height=1',
  '/block_results?height=2',
  '/blockchain?minHeight=2&maxHeight=2',
  '/validators?height=4',
  '/consensus_params?height=1',
  '/subscribe?query="x"',
  '/genesis',
  '/genesis_chunked?chunk=0',
  '/net_info',
  '/abci_info',
  '/abci_query?path="city"&data=0xab',
  '/abci_query?path="none"',
  '/num_unconfirmed_txs',
  '/unconfirmed_txs',
  '/consensus_state',
  `/tx?hash=0x${TX_HASH}&prove=true`,
  '/broadcast_tx_sync?tx="nonsense"',
  '/check_tx?tx="nonsense"',
  '/broadcast_tx_commit?tx="nonsense"',
  '/health',
  '/block_by_hash?hash=0x00',
])('%s', async (path) => {
  const result = await get(path);
  expect(result).toMatchSnapshot();
});
