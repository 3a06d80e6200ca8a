import type { Address, Data, Log } from '@switchyard/evm-machine/types';
import { SYSTEM_ADDRESS } from '@switchyard/evm-machine/values';
import { bytesToHex, hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { InternalCall } from '../../chain/chain.ts';
import { openMemoryDatabase } from '../../database/memory.ts';
import { testChain } from '../../testing.ts';
import { signTransaction } from '../../transactions/sign.ts';
import { AddressIndex } from './address-index.ts';
import { nonceAndRecipient } from './fields.ts';
import { addressKey, afterPrefix, nonceKey, placeKey, placeOfKey } from './keys.ts';
import { decodeInternal, decodeRoles, decodeTransfer, encodeInternal, encodeTransfer, ROLE_BITS } from './rows.ts';
import { getTransfers } from './transfers.ts';

const TOKEN: Address = `0x${'70'.repeat(20)}`;
const ALICE: Address = `0x${'a1'.repeat(20)}`;
const BOB: Address = `0x${'b2'.repeat(20)}`;
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62';
const BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb';

const topic = (address: Address) => toWord(BigInt(address));
const data = (...words: readonly bigint[]): Data => `0x${words.map((word) => toWord(word).slice(2)).join('')}`;
const log = (topics: Log['topics'], bytes: Data): Log => ({ address: TOKEN, topics, data: hexToBytes(bytes) });
const parties = { token: TOKEN, from: ALICE, to: BOB };

test('the bytes of rows and keys stay what they are', () => {
  expect(bytesToHex(addressKey(ALICE, { block: 5n, position: 7 }))).toBe(`${ALICE}000000000000000500000007`);
  expect(bytesToHex(addressKey(ALICE, { block: 5n, position: 7, item: 258 }))).toBe(
    `${ALICE}0000000000000005000000070102`,
  );
  expect(bytesToHex(placeKey({ block: 5n, position: 7 }))).toBe('0x000000000000000500000007');
  expect(bytesToHex(nonceKey(BOB, 9n))).toBe(`${BOB}0000000000000009`);
  expect(ROLE_BITS.from | ROLE_BITS.created | ROLE_BITS.internal).toBe(0x0d);
  const call: InternalCall = { kind: 'create2', from: ALICE, to: BOB, value: 300n, depth: 2 };
  expect(bytesToHex(encodeInternal([call]))).toBe(`0xf0ef0294${ALICE.slice(2)}94${BOB.slice(2)}82012c02`);
  const transfer = { standard: 'erc721', ...parties, id: 6n, amount: 1n, transactionIndex: 3 } as const;
  const row = `0xf8430194${TOKEN.slice(2)}94${ALICE.slice(2)}94${BOB.slice(2)}010306`;
  expect(bytesToHex(encodeTransfer(transfer))).toBe(row);
});

test('what is written can be read', () => {
  const place = { block: 2n ** 40n, position: 3, item: 500 };
  expect(placeOfKey(addressKey(BOB, place))).toEqual(place);
  expect(decodeRoles(Uint8Array.of(ROLE_BITS.to | ROLE_BITS.internal))).toEqual(['to', 'internal']);
  const calls: InternalCall[] = [{ kind: 'selfdestruct', from: ALICE, to: BOB, value: 0n, depth: 1 }];
  expect(decodeInternal(encodeInternal(calls))).toEqual(calls);
  const transfer = { standard: 'erc20', ...parties, id: undefined, amount: 2n ** 255n, transactionIndex: 0 } as const;
  expect(decodeTransfer(encodeTransfer(transfer))).toEqual(transfer);
  expect(bytesToHex(afterPrefix(Uint8Array.of(1, 0xff)) ?? new Uint8Array())).toBe('0x02');
  expect(afterPrefix(Uint8Array.of(0xff, 0xff))).toBeUndefined();
});

test('reads transfers of each standard', () => {
  const from = topic(ALICE);
  const to = topic(BOB);
  expect(getTransfers(log([TRANSFER, from, to], data(8n)))).toEqual([
    { standard: 'erc20', ...parties, id: undefined, amount: 8n },
  ]);
  // EIP-7708: coins are no token.
  expect(getTransfers({ ...log([TRANSFER, from, to], data(8n)), address: SYSTEM_ADDRESS })).toEqual([]);
  expect(getTransfers(log([TRANSFER, from, to, toWord(9n)], '0x'))).toEqual([
    { standard: 'erc721', ...parties, id: 9n, amount: 1n },
  ]);
  const operator = topic(TOKEN);
  expect(getTransfers(log([SINGLE, operator, from, to], data(3n, 4n)))).toEqual([
    { standard: 'erc1155', ...parties, id: 3n, amount: 4n },
  ]);
  const batch = data(64n, 160n, 2n, 5n, 6n, 2n, 50n, 60n);
  expect(getTransfers(log([BATCH, operator, from, to], batch))).toEqual([
    { standard: 'erc1155', ...parties, id: 5n, amount: 50n },
    { standard: 'erc1155', ...parties, id: 6n, amount: 60n },
  ]);
});

test.each([
  ['another event', log([toWord(1n), topic(ALICE), topic(BOB)], data(1n))],
  ['no topics', log([], data(1n))],
  ['an amount of another length', log([TRANSFER, topic(ALICE), topic(BOB)], '0x01')],
  [
    'a list that is longer than the data',
    log([BATCH, topic(TOKEN), topic(ALICE), topic(BOB)], data(64n, 64n, 2n ** 200n)),
  ],
  ['an offset beyond the data', log([BATCH, topic(TOKEN), topic(ALICE), topic(BOB)], data(2n ** 255n, 64n))],
  ['lists that do not match', log([BATCH, topic(TOKEN), topic(ALICE), topic(BOB)], data(64n, 128n, 1n, 5n, 0n))],
])('sees no transfer in %s', (_, each) => {
  expect(getTransfers(each)).toEqual([]);
});

test('no event is more than the index can take', () => {
  const bytes = fc.uint8Array({ maxLength: 400 }).map(bytesToHex);
  const event = fc.constantFrom(TRANSFER, SINGLE, BATCH);
  fc.assert(
    fc.property(event, fc.nat({ max: 3 }), bytes, (first, more, payload) => {
      const topics = [first, ...Array.from({ length: more }, (__, at) => toWord(BigInt(at)))] as Log['topics'];
      for (const transfer of getTransfers(log(topics, payload))) encodeTransfer({ ...transfer, transactionIndex: 0 });
    }),
  );
});

test('finds nonce and recipient in transactions of every type', () => {
  const key = `0x${'11'.repeat(32)}` as const;
  const common = { chainId: 1337n, nonce: 300n, gasLimit: 21_000n, to: BOB, value: 1n };
  const access = [{ address: ALICE, storageKeys: [toWord(1n)] }];
  for (const fees of [{ gasPrice: 1n }, { gasPrice: 1n, accessList: access }, { maxFeePerGas: 2n }]) {
    expect(nonceAndRecipient(signTransaction({ ...common, ...fees }, key))).toEqual({ nonce: 300n, to: BOB });
    expect(nonceAndRecipient(signTransaction({ ...common, ...fees, nonce: 0n, to: undefined }, key))).toEqual({
      nonce: 0n,
      to: undefined,
    });
  }
});

test('survives a restart, with the blocks that it is about', async () => {
  const database = openMemoryDatabase();
  const indexers = (db: typeof database) => [new AddressIndex(db)];
  const first = await testChain({ database, indexers });
  await first.sequence([first.account(0).transfer(BOB, 1n)]);
  const again = await testChain({ database, indexers });
  await again.sequence([again.account(1).transfer(BOB, 2n)]);
  const index = new AddressIndex(database);
  const page = { newestFirst: true, limit: 10 };
  expect(index.getTransactions(BOB, page)).toEqual([
    { block: 2n, position: 0, roles: ['to'] },
    { block: 1n, position: 0, roles: ['to'] },
  ]);
  expect(index.bySenderAndNonce(first.account(0).address, 0n)).toEqual({ block: 1n, position: 0 });
});
