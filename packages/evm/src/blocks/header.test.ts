import { createBlockHeaderFromRLP } from '@ethereumjs/block';
import { cancunRules } from '@switchyard/evm-machine/ethereumjs-testing';
import type { Hash, Header } from '@switchyard/evm-machine/types';
import { bytesToHex, hexToBytes, ZERO_HASH } from '@switchyard/protocol/ethereum';
import { expect, test } from 'vitest';
import { decodeHeader } from '../testing/header-row.ts';
import { EMPTY_UNCLES, encodeHeader, hashHeader } from './header.ts';

const hash = (byte: string): Hash => `0x${byte.repeat(32)}`;

const header: Header = {
  parentHash: hash('11'),
  uncleHash: EMPTY_UNCLES,
  coinbase: `0x${'22'.repeat(20)}`,
  stateRoot: hash('33'),
  transactionsRoot: hash('44'),
  receiptsRoot: hash('55'),
  logsBloom: `0x${'66'.repeat(256)}`,
  difficulty: 0n,
  number: 77n,
  gasLimit: 100_000_000n,
  gasUsed: 21_000n,
  timestamp: 1_700_000_000n,
  extraData: '0x8899',
  mixHash: ZERO_HASH,
  nonce: '0x0000000000000000',
  baseFeePerGas: 1_000_000_000n,
  withdrawalsRoot: hash('aa'),
  blobGasUsed: 0n,
  excessBlobGas: 0n,
  parentBeaconBlockRoot: hash('bb'),
  requestsHash: undefined,
  blockAccessListHash: undefined,
  slotNumber: undefined,
};

test('a header is hashed as EthereumJS hashes it', () => {
  const options = { common: cancunRules(1n), skipConsensusFormatValidation: true };
  const theirs = createBlockHeaderFromRLP(encodeHeader(header), options);
  expect(theirs.toJSON()).toMatchObject({ baseFeePerGas: '0x3b9aca00', number: '0x4d', withdrawalsRoot: hash('aa') });
  expect(hashHeader(header)).toBe(bytesToHex(theirs.hash()));
});

test('the bytes of a header are these', () => {
  expect(hashHeader(header)).toMatchInlineSnapshot(
    `"0x6506f20c3f768c9ee856bcb44d4331c44bc2b18e5d4dfe22b9bf67405f6dd2f1"`,
  );
});

test('what is encoded is what is decoded, also from before the later forks', () => {
  expect(decodeHeader(encodeHeader(header))).toEqual(header);
  const old = {
    ...header,
    baseFeePerGas: undefined,
    withdrawalsRoot: undefined,
    blobGasUsed: undefined,
    excessBlobGas: undefined,
    parentBeaconBlockRoot: undefined,
  };
  expect(decodeHeader(encodeHeader(old))).toEqual(old);
  expect(decodeHeader(encodeHeader({ ...header, requestsHash: hash('cc') })).requestsHash).toBe(hash('cc'));
});

test('a list of another length is no header', () => {
  expect(() => decodeHeader(hexToBytes('0xc0'))).toThrow('a header has 0 fields');
});
