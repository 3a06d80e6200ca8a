import { messenger } from '@switchyard/messenger';
import { parseGenesis } from '@switchyard/messenger/process';
import { exampleGenesis, messengerNode, signTransfer } from '@switchyard/messenger/testing';
import {
  createSigner,
  decodeEnvelope,
  formatAddress,
  parseDenom,
  signTransaction as signSequencer,
  TRANSACTION_TYPE_URL,
  verifyEnvelope,
  Writer,
} from '@switchyard/protocol';
import { action, defineRollup, table, u64 } from '@switchyard/rollup';
import { signTransaction } from '@switchyard/rollup/client';
import { testRollup } from '@switchyard/rollup/testing';
import { TestNode } from '@switchyard/sequencer/testing';
import { expect, test } from 'vitest';

const alice = createSigner(new Uint8Array(32).fill(2));
const bob = { account: 'ab'.repeat(20) as typeof alice.account, prefix: 'astria' };
const totals = table({ name: 'totals', key: u64, value: u64, absent: 0n });
const getVersion = (version: number) =>
  defineRollup({
    ...{ name: 'vault', version, tables: [totals] },
    actions: {
      add: action({
        fields: { amount: u64 },
        execute: ({ amount }, { state }) => totals.put(state, 0n, totals.get(state, 0n) + amount),
      }),
    },
  });
const vault = getVersion(1);
const genesis = (members: object = {}) =>
  JSON.stringify({ rollup_name: 'vault', sequencer_chain_id: 'sequencer-0', ...members });

const sign = (defined: ReturnType<typeof getVersion>, chainId: string) =>
  signTransaction(defined, { nonce: 0, chainId, actions: [{ kind: 'add', amount: 5n }] }, alice);
const signMessenger = (chainId: string) =>
  signTransfer(
    { nonce: 0, chainId, to: formatAddress(bob.account), amount: 7n, asset: 'nria', feeAsset: 'nria' },
    alice,
  );
const signedTransfer = (chainId: string) => {
  const [asset, feeAsset] = [parseDenom('nria'), parseDenom('nria')];
  return signSequencer(
    { nonce: 0, chainId, actions: [{ kind: 'transfer', to: bob, amount: 7n, asset, feeAsset }] },
    alice,
  );
};

/** The signed parts of a transaction, in an envelope of another kind, as any stranger can make it. */
function rewritten(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const { signature, publicKey, body } = decodeEnvelope(bytes, from);
  return new Writer()
    .bytes(1, signature)
    .bytes(2, publicKey)
    .message(3, (any) => any.string(1, to).bytes(2, body))
    .finish();
}

const chosen = { chain_id: 'one' };

// Defect: A signature held for another version of a definition
// Defect: A test and a main network of one name took each other's transactions
test.each<[string, () => Promise<{ readonly status: number; readonly body: unknown }>, string]>([
  [
    'a test network, on the main network of one name',
    async () => {
      const [tested, main] = [
        await testRollup(vault, genesis()),
        await testRollup(vault, genesis({ sequencer_chain_id: 'main-0' })),
      ];
      return main.post('/v1/transactions', await sign(vault, tested.node.genesis.chainId));
    },
    'wrong-chain',
  ],
  [
    'one version, on a chain of the next',
    async () => {
      const [old, next] = [await testRollup(vault, genesis()), await testRollup(getVersion(2), genesis())];
      const bytes = await sign(vault, old.node.genesis.chainId);
      return next.post('/v1/transactions', rewritten(bytes, vault.typeUrl, getVersion(2).typeUrl));
    },
    'wrong-chain',
  ],
  [
    'one version, on a chain of the next with the same chosen chain id',
    async () => {
      const next = await testRollup(getVersion(2), genesis(chosen));
      const bytes = await sign(vault, 'one');
      return next.post('/v1/transactions', rewritten(bytes, vault.typeUrl, getVersion(2).typeUrl));
    },
    'bad-signature',
  ],
  [
    'the messenger, on a rollup of its name and chain id',
    async () => {
      const node = await testRollup(vault, genesis(chosen));
      return node.post('/v1/transactions', rewritten(signMessenger('one'), messenger.typeUrl, vault.typeUrl));
    },
    'malformed',
  ],
  [
    'a rollup, on the messenger of its name and chain id',
    async () => {
      const node = await messengerNode({ genesis: exampleGenesis({ rollup_name: 'vault', ...chosen }) });
      return node.post('/v1/transactions', rewritten(await sign(vault, 'one'), vault.typeUrl, messenger.typeUrl));
    },
    'malformed',
  ],
  [
    'the sequencer, on a messenger',
    async () => {
      const node = await messengerNode();
      return node.post(
        '/v1/transactions',
        rewritten(signedTransfer('test-1'), TRANSACTION_TYPE_URL, messenger.typeUrl),
      );
    },
    'wrong-chain',
  ],
])('bytes signed for %s, are refused there', async (_, send, code) => {
  expect(await send()).toMatchObject({ status: 400, body: { error: { code } } });
});

// Defect: A messenger with the chain id of its sequencer shared its signatures
test('bytes signed for a messenger are refused by the sequencer, whose chain id no rollup may have', () => {
  const node = new TestNode({ chainId: 'test-1' });
  const bytes = rewritten(signMessenger('astria-chat'), messenger.typeUrl, TRANSACTION_TYPE_URL);
  expect(node.check(bytes)).toMatchObject({ info: 'wrong chain id' });
  const file = exampleGenesis({ chain_id: 'test-1', sequencer_chain_id: 'test-1' });
  expect(() => parseGenesis(file, 'genesis.json')).toThrow(
    'chain_id: expected another one than that of the sequencer, got test-1',
  );
});

// Defect: A signature held for another kind of body
test.each([
  ['another version', vault.typeUrl, getVersion(2).typeUrl, () => sign(vault, 'one')],
  ['the messenger', vault.typeUrl, messenger.typeUrl, () => sign(vault, 'one')],
  ['a definition', messenger.typeUrl, vault.typeUrl, async () => signMessenger('one')],
])('a signature does not hold for the kind of %s', async (_, from, to, make) => {
  const bytes = await make();
  expect(() => verifyEnvelope(decodeEnvelope(bytes, from))).not.toThrow();
  expect(() => verifyEnvelope(decodeEnvelope(rewritten(bytes, from, to), to))).toThrow('bad signature');
});
