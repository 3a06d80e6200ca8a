import { recoverSender } from '@switchyard/evm-machine/recover';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { bytesToHex, hexToBytes, keccak256, keccakHex } from '@switchyard/protocol/ethereum';
import { rpcContext } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { DEV_ACCOUNTS } from '../../genesis/development-accounts.ts';
import { decodeTransaction } from '../../transactions/transaction.ts';
import { callChain } from '../call/testing.ts';
import { accountMethods, toKeys } from './account-methods.ts';

/** EIP-712's example: the account of the key keccak256("cow"), and the data that it signs. */
const COW = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826';
const MAIL = {
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person' },
      { name: 'contents', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  domain: {
    name: 'Ether Mail',
    version: '1',
    chainId: 1,
    verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
  },
  message: {
    from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
    to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
    contents: 'Hello, Bob!',
  },
};
const MAIL_SIGNATURE =
  '0x4355c47d63924e8a72e509b65029052eb6c299d53a04e167c5775fd466751c9d07299936d304c153f6443dfa05f40ff007d72911b6f72307f996231605b915621c';

/** A node with the development accounts and EIP-712's, whose transactions are in a block when they are sent. */
async function node() {
  const { test: chain, simulator, ask } = await callChain();
  const cow = { address: COW, privateKey: keccakHex(Buffer.from('cow')) } as const;
  const nonces = new Map<Address, bigint>();
  const pool = {
    async send(raw: Uint8Array): Promise<Hash> {
      const { transactions } = (await chain.sequence([raw])).block;
      const [sent] = transactions;
      if (sent === undefined) throw new Error('the block refused it');
      nonces.set(sent.from, decodeTransaction(raw).nonce + 1n);
      return sent.hash;
    },
    pendingNonce: async (account: Address) => nonces.get(account) ?? 0n,
  };
  const methods = accountMethods({ chain: chain.chain, simulator, pool, keys: toKeys([...DEV_ACCOUNTS, cow]) });
  return { chain, call: (method: string, ...params: unknown[]) => ask(methods, method, ...params), methods };
}

const [alice = '0x', bob = '0x'] = DEV_ACCOUNTS.map(({ address }) => address);

test('what is left open is filled in, and many at a time get nonces in turn', async () => {
  const { chain, call } = await node();
  const hashes = await Promise.all(
    [1, 2, 3].map(() => call('eth_sendTransaction', { from: alice, to: bob, value: '0x5' })),
  );
  const sent = hashes.map((hash) => {
    const place = chain.chain.transaction(hash as Hash);
    return place && chain.chain.block(place.block)?.transactions[place.index];
  });
  expect(sent.map((each) => each && [each.from, decodeTransaction(each.raw).nonce])).toEqual([
    [alice, 0n],
    [alice, 1n],
    [alice, 2n],
  ]);
  expect(chain.chain.state(3n).account(bob)?.balance).toBe(10_000n * 10n ** 18n + 15n);
});

test.each([
  ['of type 0', { gasPrice: '0x77359400' }, 0],
  ['of type 1', { gasPrice: '0x77359400', accessList: [] }, 1],
  ['of type 2', { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' }, 2],
])('a transaction %s is signed and not sent', async (_, fees, type) => {
  const { chain, call } = await node();
  const signed = Object(
    await call('eth_signTransaction', { from: alice, to: bob, gas: '0x5208', nonce: '0x7', ...fees }),
  );
  const decoded = decodeTransaction(hexToBytes(signed.raw));
  expect(decoded).toMatchObject({ type, nonce: 7n, chainId: 1337n });
  expect(recoverSender(decoded.signature)).toBe(alice);
  expect(signed.tx).toMatchObject({ from: alice, hash: decoded.hash, nonce: '0x7' });
  expect(chain.chain.heads.latest).toBe(0n);
});

test("structured data is signed as EIP-712's example has it, as an object and as text", async () => {
  const { call } = await node();
  expect(await call('eth_signTypedData_v4', COW, MAIL)).toBe(MAIL_SIGNATURE);
  expect(await call('eth_signTypedData_v4', COW, JSON.stringify(MAIL))).toBe(MAIL_SIGNATURE);
  const { EIP712Domain: _, ...types } = MAIL.types;
  expect(await call('eth_signTypedData_v4', COW, { ...MAIL, types })).toBe(MAIL_SIGNATURE);
});

test('a message is signed with its prefix', async () => {
  const { call } = await node();
  const signature = String(await call('personal_sign', bytesToHex(Buffer.from('hello')), alice));
  expect(await call('eth_sign', alice, bytesToHex(Buffer.from('hello')))).toBe(signature);
  const digest = keccak256(Buffer.from('\x19Ethereum Signed Message:\n5hello'));
  const bytes = hexToBytes(signature as Hash);
  const yParity = bytes[64] === 28 ? 1 : 0;
  expect(recoverSender({ r: bytes.subarray(0, 32), s: bytes.subarray(32, 64), yParity, digest })).toBe(alice);
});

const typed = (changes: object) => ({ ...MAIL, ...changes });
const nested = Array.from({ length: 60 }).reduce<unknown>((inner) => ({ next: inner }), null);

test.each<[string, string, unknown[], string]>([
  [
    'of an account without a key',
    'eth_sendTransaction',
    [{ from: `0x${'11'.repeat(20)}`, to: bob }],
    'unknown account 0x1111',
  ],
  ['of no account', 'eth_sendTransaction', [{ to: bob }], 'needs a sender'],
  ['for another chain', 'eth_sendTransaction', [{ from: alice, to: bob, chainId: '0x1' }], 'have=1, want=1337'],
  ['of a type that is not there', 'eth_signTypedData_v4', [COW, typed({ primaryType: 'Letter' })], 'Letter'],
  [
    'of a number that does not fit',
    'eth_signTypedData_v4',
    [COW, typed({ domain: { ...MAIL.domain, chainId: -1 } })],
    'uint256',
  ],
  [
    'of too many values within each other',
    'eth_signTypedData_v4',
    [
      COW,
      typed({ types: { ...MAIL.types, Node: [{ name: 'next', type: 'Node' }] }, primaryType: 'Node', message: nested }),
    ],
    'at most 50 values within each other',
  ],
  ['of no JSON', 'eth_signTypedData_v4', [COW, '{'], 'typed data'],
])('a signature %s is refused', async (_, method, params, message) => {
  const { methods } = await node();
  const run = async () => methods[method]?.(params, rpcContext());
  await expect(run()).rejects.toThrow(message);
});
