import { formatAddress, txHashOf } from '@switchyard/protocol';
import { afterEach, expect, test } from 'vitest';
import { signers, signSpend, tallyRollup } from '../../testing/tally.ts';
import { type TestNode, testNode } from '../../testing/test-node.ts';

const nodes: Pick<TestNode, 'stop'>[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});

test('a transaction is decoded in the terms of its rollup, and not submitted', async () => {
  const node = await testNode(tallyRollup());
  nodes.push(node);
  const bytes = signSpend({ nonce: 3, amount: 7n });
  const { status, body } = await node.post('/v1/transactions:decode', bytes);
  expect([status, body]).toEqual([
    200,
    {
      hash: txHashOf(bytes),
      signer: formatAddress(signers[0].account),
      nonce: 3,
      chainId: 'tally-1',
      actions: [{ kind: 'spend', amount: '7' }],
    },
  ]);
  expect(await node.get(`/v1/transactions/${txHashOf(bytes)}`)).toMatchObject({ status: 404 });
});

test.each([
  ['no bytes', new Uint8Array(), 400],
  ['bytes of something else', Uint8Array.of(1, 2, 3), 400],
  ['more than a transaction may have', new Uint8Array(2_000), 413],
])('%s are refused', async (_, bytes, status) => {
  const node = await testNode(tallyRollup());
  nodes.push(node);
  expect((await node.post('/v1/transactions:decode', bytes)).status).toBe(status);
});
