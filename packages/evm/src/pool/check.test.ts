import { createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common';
import { createTx } from '@ethereumjs/tx';
import { hexToBytes } from '@switchyard/protocol/ethereum';
import { expect, test } from 'vitest';
import { signTransaction } from '../transactions/sign.ts';
import { alice, BLOCK_GAS, bob, CHAIN_ID, check, ETHER, GWEI, getHash, signed, World } from './testing/world.ts';

const other = createCustomCommon({ chainId: 5 }, Mainnet, { hardfork: Hardfork.Cancun });
const legacy = createCustomCommon({ chainId: Number(CHAIN_ID) }, Mainnet, { hardfork: Hardfork.Chainstart });
const fields = { to: bob.address, nonce: 0n, value: 1n, gasLimit: 21_000n, gasPrice: 2n * GWEI };
const key = hexToBytes(alice.privateKey);

test.each<[string, Uint8Array, string]>([
  ['no bytes', new Uint8Array(), 'failed to decode signed transaction: no bytes'],
  ['bytes that are nothing', Uint8Array.of(0x99, 1), 'failed to decode signed transaction'],
  ['half a transaction', signed(alice).subarray(0, 40), 'failed to decode signed transaction'],
  ['bytes after the end', Buffer.concat([signed(alice), Buffer.of(0)]), 'failed to decode signed transaction'],
  ['a blob transaction', Uint8Array.of(3, 0xc0), 'transaction type not supported: blob'],
  ['a blob transaction with its blobs', new Uint8Array(131_073).fill(3, 0, 1), 'transaction type not supported: blob'],
  ['an unknown type', Uint8Array.of(0x7f, 0xc0), 'transaction type not supported: unknown transaction type 127'],
  ['more bytes than fit', new Uint8Array(131_073), 'oversized data: 131073 bytes, at most 131072 are taken'],
  [
    'another chain',
    createTx({ ...fields, type: 0 }, { common: other })
      .sign(key)
      .serialize(),
    'invalid chain id for signer: signed for chain id 5, this chain is 1337',
  ],
  ['no signature', createTx({ ...fields, type: 0 }, { common: legacy }).serialize(), 'invalid sender'],
  ['too little gas', signed(alice, { gasLimit: 20_999n }), 'intrinsic gas too low: gas limit 20999, at least 21000'],
  [
    'the nonce that is none',
    signTransaction(
      { chainId: CHAIN_ID, nonce: (1n << 64n) - 1n, gasLimit: 53_000n, gasPrice: GWEI },
      alice.privateKey,
    ),
    'nonce has max value',
  ],
  ['more gas than a block has', signed(alice, { gasLimit: BLOCK_GAS + 1n }), 'exceeds block gas limit'],
])('%s is refused with the words that libraries know', (_, raw, message) => {
  expect(() => check(raw)).toThrow(
    expect.objectContaining({ code: -32_000, message: expect.stringContaining(message) }),
  );
});

test('a legacy transaction without a chain id is taken', () => {
  const raw = createTx({ ...fields, type: 0 }, { common: legacy })
    .sign(key)
    .serialize();
  expect(check(raw)).toMatchObject({ hash: getHash(raw), from: alice.address, maxFeePerGas: 2n * GWEI });
});

test.each<[string, Parameters<typeof signed>[1], string]>([
  ['a used nonce', { nonce: 0n }, 'nonce too low: next nonce 1, tx nonce 0'],
  [
    'a fee cap under the base fee',
    { nonce: 1n, maxFeePerGas: GWEI - 1n, maxPriorityFeePerGas: 0n },
    `max fee per gas less than block base fee: address ${alice.address}, maxFeePerGas: 999999999, baseFee: 1000000000`,
  ],
  [
    'more than the sender has',
    { nonce: 1n, value: 11n * ETHER },
    'insufficient funds for gas * price + value: balance 9999957999999999999, tx cost 11000042000000000000, overshot 1000084000000000001',
  ],
  ['more than the sender has behind a gap', { nonce: 9n, value: 11n * ETHER }, 'insufficient funds'],
])('%s is refused with the words that libraries know', async (_, sent, message) => {
  const w = new World();
  await w.run();
  w.chain.block([signed(alice)]);
  expect(await w.send(signed(alice, sent))).toContain(message);
  expect(w.pool.counts).toEqual({ sent: 0, held: 0 });
  await w.close();
});
