import { readFileSync } from 'node:fs';
import {
  createSigner,
  decodeEnvelope,
  formatAddress,
  fromHex,
  parseDenom,
  toHex,
  txHashOf,
  verifyEnvelope,
} from '@switchyard/protocol';
import { afterEach, expect, test } from 'vitest';
import { messenger } from './messenger.ts';
import { alice, BOB, CHAIN, deposit, messengerNode, signText, signTransfer } from './testing/messenger.ts';

const vectors = JSON.parse(readFileSync(new URL('../testdata/vectors.json', import.meta.url), 'utf8'));
const nodes: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});

const t1 = signText({ nonce: 0, chainId: CHAIN, text: 'gm', from: 'alice', feeAsset: 'nria' }, alice);
const t2 = signTransfer({ nonce: 1, chainId: CHAIN, to: BOB, amount: 10n, asset: 'nria', feeAsset: 'nria' }, alice);

test.each(Object.entries<string>(vectors.assets))('asset %s has the id of the sheet', (name, id) => {
  expect(parseDenom(name).id).toBe(id);
});

test.each(Object.entries<{ seed: string; address: string; publicKey: string }>(vectors.keys))('key of %s', (_, key) => {
  const signer = createSigner(fromHex(key.seed));
  expect([formatAddress(signer.account), toHex(signer.publicKey)]).toEqual([key.address, key.publicKey]);
});

test.each([
  ['t1', t1, vectors.t1],
  ['t2', t2, vectors.t2],
])('signs %s to the bytes of the sheet', (_, bytes, expected) => {
  const envelope = decodeEnvelope(bytes, messenger.typeUrl);
  verifyEnvelope(envelope);
  expect({
    body: toHex(envelope.body),
    signature: toHex(envelope.signature),
    length: bytes.length,
    id: txHashOf(bytes),
  }).toEqual(expected);
});

test('decodes the vectors', () => {
  const nria = parseDenom('nria');
  expect(messenger.body.decode(fromHex(vectors.t1.body))).toEqual({
    nonce: 0,
    chainId: CHAIN,
    actions: [{ kind: 'sendText', text: 'gm', name: 'alice', feeAsset: nria }],
  });
  expect(messenger.body.decode(fromHex(vectors.t2.body))).toMatchObject({
    nonce: 1,
    actions: [{ kind: 'transfer', amount: 10n, asset: nria, feeAsset: nria }],
  });
});

test.each([
  ['nothing', { timestamp: { seconds: 1_700_000_000n, nanos: 500_000_000 } }, vectors.contentHashes.nothing],
  ['t1', { data: [t1], timestamp: { seconds: 1_700_000_000n, nanos: 500_000_000 } }, vectors.contentHashes.t1],
  [
    't1, t2 and a deposit',
    {
      data: [t1, t2],
      deposits: [deposit({ sourceTransaction: 'aa'.repeat(32) as ReturnType<typeof txHashOf> })],
      timestamp: { seconds: 1_700_000_000n, nanos: 0 },
    },
    vectors.contentHashes.t1t2deposit,
  ],
])("a block of %s has the reference's hash as its content hash", async (_, block, expected) => {
  const node = await messengerNode();
  nodes.push(node);
  await node.block(block);
  expect(node.chain.view.block.contentHash).toBe(expected);
});

test('what is refused is no part of the content hash', async () => {
  const node = await messengerNode();
  nodes.push(node);
  await node.block({ data: [Uint8Array.of(1), t1, t1], timestamp: { seconds: 1_700_000_000n, nanos: 500_000_000 } });
  expect(node.chain.view.block).toMatchObject({ contentHash: vectors.contentHashes.t1, executed: 1, refused: 2 });
});
