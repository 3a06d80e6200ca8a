import { QueryFailed } from '@switchyard/client';
import { createSigner, decodeTransaction, formatAddress, fromHex, txHashFromHex, txHashOf } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { type SequencerNode, sequencerPayer } from './payer.ts';

const signer = createSigner(new Uint8Array(32).fill(1));
const account = formatAddress(signer.account);
const BOB = 'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2';
const { signal } = new AbortController();
const HASH = 'ab'.repeat(32);

const NODE: SequencerNode = {
  genesisChainId: async () => 'local-1',
  nonce: async () => ({ height: 5n, nonce: 3 }),
  balances: async () => ({
    height: 5n,
    balances: [
      { asset: 'other', amount: 1n },
      { asset: 'nria', amount: 700n },
    ],
  }),
  fee: async () => [{ asset: 'nria', amount: 12n }],
  allowedFeeAssets: async () => ['ntia'],
  broadcastSync: async (bytes) => ({ code: 0, log: '', hash: txHashOf(bytes) }),
  tx: async () => undefined,
  nonceSpender: async () => ({ accountNonce: 4, height: 6n, spenders: [] }),
  block: async () => ({ txs: [] }),
  blockResults: async () => [],
};
const payer = (node: Partial<SequencerNode> = {}) =>
  sequencerPayer(signer, { asset: 'nria', prefix: 'astria' }, { ...NODE, ...node });
const payment = { hash: HASH, bytes: 'bb', cost: 1n };

test('tells chain, nonce, the balance of its asset and the fee', async () => {
  expect(payer().account).toBe(account);
  expect(await payer().funds(signal)).toEqual({
    chain: 'local-1',
    chainId: 'local-1',
    nonce: 3,
    balance: 700n,
    fee: 12n,
  });
});

test('names the accepted fee assets when this one is not among them', async () => {
  const fee = () => Promise.reject(new QueryFailed('transaction/fee', 3, 'fee asset not allowed'));
  await expect(payer({ fee }).funds(signal)).rejects.toThrow(
    'the sequencer takes ntia for fees, and not nria; set SVC_FAUCET_ASSET to an accepted one',
  );
  await expect(payer({ fee, allowedFeeAssets: async () => ['nria'] }).funds(signal)).rejects.toThrow('code 3');
});

test('signs a transfer of what was asked', async () => {
  const signed = await payer().sign({ to: BOB, amount: 100n, nonce: 3 }, signal);
  const transaction = decodeTransaction(fromHex(signed.bytes));
  expect(transaction).toMatchObject({ nonce: 3, chainId: 'local-1', signer: signer.account, hash: signed.hash });
  expect(transaction.actions).toMatchObject([{ kind: 'transfer', amount: 100n, asset: { text: 'nria' } }]);
  const [action] = transaction.actions;
  if (action?.kind !== 'transfer') throw new Error('no transfer');
  expect(formatAddress(action.to.account)).toBe(BOB);
  expect(signed.cost).toBe(112n);
});

test.each([
  [0, { kind: 'held' }],
  [14, { kind: 'held' }],
  [18, { kind: 'held' }],
  [4, { kind: 'later', reason: 'the sequencer refused: so it is (code 4)' }],
  [6, { kind: 'later', reason: 'the sequencer refused: so it is (code 6)' }],
])('code %d', async (code, expected) => {
  const node = { broadcastSync: async () => ({ code, log: 'so it is', hash: txHashFromHex(HASH) }) };
  expect(await payer(node).send(payment, signal)).toEqual(expected);
});

const result = (code: number) => ({ hash: txHashFromHex(HASH), height: 9n, index: 2, code, log: 'no', events: [] });
const spentBy = (hash: string) => async () => ({
  accountNonce: 4,
  height: 9n,
  spenders: [{ nonce: 3, hash: txHashFromHex(hash), height: 8n }],
});

// Defect: Faucet on the sequencer: claim paid again when the node failed to name the transaction of its nonce three times
test.each<[string, Partial<SequencerNode>, object]>([
  ['in a block', { tx: async () => result(0) }, { kind: 'paid', hash: HASH, block: 9n }],
  ['in a block without success, which uses no nonce', { tx: async () => result(6) }, { kind: 'undecided' }],
  ['found by its nonce only', { nonceSpender: spentBy(HASH) }, { kind: 'paid', hash: HASH, block: 8n }],
  ['replaced for certain', { nonceSpender: spentBy('cd'.repeat(32)) }, { kind: 'replaced' }],
  ['nowhere', {}, { kind: 'undecided' }],
  ['unknown', { nonceSpender: () => Promise.reject(new Error('away')) }, { kind: 'undecided' }],
])('a payment that is %s', async (_, node, expected) => {
  expect(await payer(node).outcome([payment], 3, signal)).toEqual(expected);
});
