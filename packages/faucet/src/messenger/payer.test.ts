import { parseInput, RollupRefused, type TransactionOutcome } from '@switchyard/client/rollup';
import { createSigner, formatAddress, fromHex, txHashFromHex, txHashOf } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { type MessengerNode, messengerPayer } from './payer.ts';

const signer = createSigner(new Uint8Array(32).fill(1));
const BOB = 'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2';
const { signal } = new AbortController();
const HASH = 'ab'.repeat(32);
const payment = { nonce: 3n, hash: HASH, bytes: 'bb', cost: 1n };

const ANSWERS: Readonly<Record<string, object>> = {
  [`/v1/accounts/${formatAddress(signer.account)}`]: {
    address: formatAddress(signer.account),
    nonce: 3,
    pendingNonce: 5,
    balances: [
      { asset: 'utia', amount: '1' },
      { asset: 'nria', amount: '700' },
    ],
  },
};
const GENESIS = {
  ...{ hash: 'genesis-hash', parentHash: '', time: '', sequencerBlockHash: '', stateRoot: '' },
  ...{ executed: 0, refused: 0, deposits: 0, skippedDeposits: 0 },
};
const NODE: MessengerNode = {
  get: async (path) => parseInput(JSON.stringify(ANSWERS[path]), path),
  block: async (number) => ({ ...GENESIS, number }),
  status: async () => ({ rollup: 'chat', chainId: 'chat-1', soft: 9n, firm: 9n, all: {} }),
  submit: async (bytes) => ({ hash: txHashOf(bytes) }),
  transaction: async () => undefined,
};
const payer = (node: Partial<MessengerNode> = {}) => messengerPayer(signer, 'nria', { ...NODE, ...node });

test('reports the committed nonce and the balance, and distinguishes chains by their genesis', async () => {
  const expected = {
    chain: 'chat-1 genesis-hash',
    chainId: 'chat-1',
    rollup: 'chat',
    nonce: 3n,
    balance: 700n,
    fee: 0n,
  };
  expect(await payer().funds(signal)).toEqual(expected);
});

test('signs a transfer whose bytes have the hash that the node reports', async () => {
  const signed = await payer().sign({ to: BOB, amount: 100n, nonce: 3n }, signal);
  expect(signed).toMatchObject({ nonce: 3n, cost: 100n, hash: txHashOf(fromHex(signed.bytes)) });
});

test('an address of another kind of chain is named as such', () => {
  expect(payer().recipient(BOB.toUpperCase())).toBe(BOB);
  expect(() => payer().recipient('0x70997970c51812dc3a010c7d01b50e0d17dc79c8')).toThrow('an address of an EVM chain');
});

test('what the node refuses is tried again later, and what gets no answer is an error', async () => {
  expect(await payer().send(payment, signal)).toEqual({ kind: 'held' });
  const refuse = async () => Promise.reject(new RollupRefused(503, 'unavailable', 'nothing was accepted'));
  const later = { kind: 'later', reason: 'the messenger refused: nothing was accepted' };
  expect(await payer({ submit: refuse }).send(payment, signal)).toEqual(later);
  const absent = async () => Promise.reject(new Error('no answer'));
  await expect(payer({ submit: absent }).send(payment, signal)).rejects.toThrow('no answer');
});

test.each<[TransactionOutcome['state'], object]>([
  ['executed', { kind: 'paid', hash: HASH, block: 8n }],
  ['firm', { kind: 'paid', hash: HASH, block: 8n }],
  ['refused', { kind: 'replaced' }],
  ['sequenced', { kind: 'unknown' }],
])('a payment that is %s, after its nonce was used', async (state, expected) => {
  const transaction = async () => ({ hash: txHashFromHex(HASH), state, block: 8n });
  expect(await payer({ transaction }).outcome([payment], signal)).toEqual(expected);
});

test('a payment that no block has is not known to be replaced', async () => {
  expect(await payer().outcome([payment], signal)).toEqual({ kind: 'unknown' });
});
