import { Code, ConnectError } from '@connectrpc/connect';
import { sequencerClient, type TxExecution } from '@switchyard/client';
import { txHashOf } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { remoteSequencer } from './sequencer.ts';
import { payer } from './testing/builders.ts';

const { signal } = new AbortController();
const TX = Uint8Array.of(1, 2, 3);
const bundle = { nonce: 4, payer: 'a', candidates: [{ hash: txHashOf(TX), ranges: [] }] };
const executed: TxExecution = { code: 0, log: '', events: [] };

/** A sequencer without our service, whose index has nothing: it was killed between its blocks and their index entries. */
function foreignNode() {
  const node = { nonce: 4, height: 7n, blocks: new Map<bigint, Uint8Array[]>(), results: [executed] };
  const client = {
    ...sequencerClient({ rpcUrl: 'http://127.0.0.1:1' }),
    nonceSpender: () => Promise.reject(new ConnectError('no such service', Code.Unimplemented)),
    nonce: async () => ({ nonce: node.nonce, height: node.height }),
    tx: async () => undefined,
    block: async (height: bigint) => ({ txs: node.blocks.get(height) ?? [] }),
    blockResults: async () => node.results,
  };
  const sequencer = remoteSequencer(client, payer.signer, payer.feeAsset, payer.prefix);
  const spender = async () => (await sequencer.settled([bundle], signal)).spenders.get(bundle.nonce);
  return { node, spender };
}

test('a bundle that the index of a foreign node never gets is found in its block, however many blocks follow', async () => {
  const { node, spender } = foreignNode();
  expect(await spender()).toBeUndefined();
  Object.assign(node, { nonce: 5, height: 60n });
  node.blocks.set(9n, [TX]);
  expect(await spender()).toEqual({ transaction: txHashOf(TX), height: 9n });
});

test('a bundle that failed in its block did not use the nonce', async () => {
  const { node, spender } = foreignNode();
  await spender();
  Object.assign(node, { nonce: 5, height: 9n, results: [{ ...executed, code: 7 }] });
  node.blocks.set(9n, [TX]);
  expect(await spender()).toBeUndefined();
  node.height = 12n;
  expect(await spender()).toBe('foreign');
});

test('a nonce that was not seen free counts as used by a foreign transaction after three blocks', async () => {
  const { node, spender } = foreignNode();
  node.nonce = 5;
  const seen = [];
  for (const height of [9n, 11n, 12n]) {
    node.height = height;
    seen.push(await spender());
  }
  expect(seen).toEqual([undefined, undefined, 'foreign']);
});
