import { createMemoryStore, nonces } from '@switchyard/machine';
import { formatAddress } from '@switchyard/protocol';
import { afterEach, expect, test } from 'vitest';
import { FakeComposer } from '../testing/fake-composer.ts';
import { count, notesRollup } from '../testing/notes.ts';
import { signers } from '../testing/tally.ts';
import { getFetch, testRollup } from '../testing/test-rollup.ts';
import { clientOf } from './client.ts';
import { SubmissionFailed, TransactionRefused } from './submission.ts';
import { signTransaction } from './transaction.ts';

const [alice] = signers;
const GENESIS = JSON.stringify({
  rollup_name: 'notes',
  sequencer_chain_id: 'sequencer-0',
  canonical_transactions: true,
});
const NOTE = { text: 'once', tags: [] };
const accepted = { until: 'accepted' } as const;

const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});

async function start(options: Parameters<typeof testRollup>[2] = {}) {
  const node = await testRollup(notesRollup, GENESIS, options);
  stopping.push(() => node.stop());
  return node;
}
type Node = Awaited<ReturnType<typeof start>>;

const notesIn = ({ chain }: Node) => count.get(chain.view.snapshot);
const nonceIn = ({ chain }: Node) => nonces.get(chain.view.snapshot, alice.account);

/** Bytes of one note, as the client would sign them. */
async function signed(node: Node, lastBlock?: bigint, nonce = 0): Promise<Uint8Array> {
  const chainId = (await node.client.rollup.status()).chainId;
  return signTransaction(
    notesRollup,
    { nonce, chainId, actions: [{ kind: 'post', ...NOTE } as never], lastBlock },
    alice,
  );
}

test('a transaction is executed in its last block, and refused in all behind it, with its nonce left open', async () => {
  const node = await start();
  const [first, second] = [await signed(node, 1n), await signed(node, 1n, 1)];
  await node.block({ data: [first] });
  await node.block({ data: [second] });
  expect([notesIn(node), nonceIn(node)]).toEqual([1n, 1]);
  expect((await node.get('/v1/blocks/2')).body).toMatchObject({
    refusals: [{ code: 29, message: 'expired: lastBlock 1, block 2' }],
  });
  const answer = await node.post('/v1/transactions', await signed(node, 2n, 1));
  expect(answer).toMatchObject({ status: 409, body: { error: { code: 'expired', facts: { lastBlock: 2 } } } });
});

// Defect: An accepted transaction that no block took had no end
test('an accepted transaction that no block had in time has expired for good', async () => {
  const node = await start();
  const { hash, blocks } = await node.client.submit.post(NOTE, alice, { ...accepted, validFor: 2 });
  expect(blocks).toEqual({ first: 1n, last: 2n });
  // The composer brings it too late.
  const [bytes] = node.composer.sequence(11n);
  await node.block();
  expect(await node.client.wait(hash, { blocks, timeoutMs: 0 })).toMatchObject({ state: 'sequenced' });
  await node.block();
  const refused = await node.client.wait(hash, { blocks }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(TransactionRefused);
  expect(refused).toMatchObject({ outcome: { hash, state: 'expired' } });
  // Its nonce is free for the next one.
  expect(node.node.nextNonce(alice.account)).toBe(0);
  await node.client.submit.post({ text: 'another', tags: [] }, alice, accepted);
  await node.block({ data: bytes === undefined ? [] : [bytes] });
  expect([notesIn(node), nonceIn(node)]).toEqual([1n, 1]);
  await expect(node.client.wait(hash)).rejects.toThrow(`transaction ${hash} was refused`);
});

test('a submission asks the node once for what it signs, and sends it', async () => {
  const node = await start();
  const wanted: string[] = [];
  const fetch = getFetch(node);
  const client = clientOf(notesRollup, {
    url: 'http://node',
    fetch(url, init) {
      wanted.push(`${init.method ?? 'GET'} ${url.slice('http://node'.length)}`);
      return fetch(url, init);
    },
  });
  const each = [`GET /v1/nonces/${formatAddress(alice.account)}`, 'POST /v1/transactions'];
  for (const made of [0n, 1n]) {
    const { blocks } = await client.submit.post(NOTE, alice, accepted);
    expect(blocks).toEqual({ first: made + 1n, last: made + 64n });
    await node.block();
  }
  expect(wanted.filter((one) => one !== 'GET /v1/definition')).toEqual([...each, ...each]);
});

test('without a last block, or where blocks are deleted that may have had it, it is not called expired', async () => {
  const node = await start({ retention: { blocks: 1n, ageMs: undefined } });
  const { blocks } = await node.client.submit.post(NOTE, alice, { ...accepted, validFor: 0 });
  expect(blocks).toBeUndefined();
  const unknown = 'ab'.repeat(32);
  for (let made = 0; made < 200; made += 1) await node.block();
  expect(node.chain.view.lowest).toBeGreaterThan(1n);
  expect(await node.client.wait(unknown, { timeoutMs: 0, blocks: { first: 1n, last: 100n } })).toBeUndefined();
  expect(await node.client.rollup.transaction(unknown)).toBeUndefined();
});

// Defect: A caller whose connection broke had no hash
test('a node that ends between accepting and answering leaves the hash and a retry, and nothing is executed twice', async () => {
  const [store, composer] = [createMemoryStore(), new FakeComposer()];
  const first = await start({ store, composer });
  let fetch = getFetch(first);
  const client = clientOf(notesRollup, {
    url: 'http://node',
    async fetch(url, init) {
      const answer = await fetch(url, init);
      if (init.method !== 'POST' || fetch !== fetchFirst) return answer;
      await first.stop();
      throw new TypeError('fetch failed');
    },
  });
  const fetchFirst = fetch;
  const failed = await client.submit.post(NOTE, alice).catch((error: unknown) => error);
  if (!(failed instanceof SubmissionFailed)) throw failed;
  expect(failed).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{64}$/), code: undefined });

  const second = await start({ store, composer });
  fetch = getFetch(second);
  expect(await failed.retry(accepted)).toMatchObject({ hash: failed.hash, state: 'queued' });
  await second.block();
  expect(await failed.retry()).toMatchObject({ hash: failed.hash, state: 'firm', block: 1n });
  expect([notesIn(second), nonceIn(second)]).toEqual([1n, 1]);
});

test('a refusal of the intake carries the hash, and its retry is accepted when the reason is gone', async () => {
  const node = await start();
  node.composer.mode = 'full';
  const failed = await node.client.submit.post(NOTE, alice).catch((error: unknown) => error);
  if (!(failed instanceof SubmissionFailed)) throw failed;
  expect(failed.code).toBe('unavailable');
  node.composer.mode = 'up';
  await failed.retry(accepted);
  await node.block();
  expect(await failed.retry()).toMatchObject({ hash: failed.hash, block: 1n });
  expect(notesIn(node)).toBe(1n);
});

test('a retry of what has expired ends as expired, and one of what was refused as refused', async () => {
  const node = await start();
  node.composer.mode = 'full';
  const late = await node.client.submit.post(NOTE, alice, { validFor: 1 }).catch((error: unknown) => error);
  if (!(late instanceof SubmissionFailed)) throw late;
  await node.block();
  node.composer.mode = 'up';
  await expect(late.retry()).rejects.toMatchObject({ outcome: { hash: late.hash, state: 'expired' } });
});
