import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { createTx, type TypedTxData } from '@ethereumjs/tx';
import { bytesToHex, hexToBytes } from '@ethereumjs/util';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { expect, test } from 'vitest';
import { findRecipient, getBlobs, transactionJson } from './format-transaction.ts';

/** Key of the first account of "test test … junk", which every local chain has. */
const KEY = hexToBytes('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const SENDER: Address = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
/** Blob transactions want a library for their blobs, which they do not use while there are none. */
const unused = (): never => {
  throw new Error('there are no blobs here');
};
const kzg = {
  blobToKzgCommitment: unused,
  computeBlobProof: unused,
  verifyProof: unused,
  verifyBlobProofBatch: unused,
  computeCells: unused,
  computeCellsAndProofs: unused,
  recoverCellsAndProofs: unused,
  verifyCellKzgProofBatch: unused,
};
const common = new Common({ chain: Mainnet, hardfork: Hardfork.Prague, customCrypto: { kzg } });
const TO: Address = `0x${'11'.repeat(20)}`;
const WORD: Hash = `0x01${'22'.repeat(31)}`;
const LIST = [{ address: TO, storageKeys: [WORD] }];
const BASE = { nonce: 5n, gasLimit: 100_000n, to: TO, value: 10n ** 18n, data: '0x00ff' } as const;
const FEES = { maxFeePerGas: 50n, maxPriorityFeePerGas: 3n, chainId: 1n } as const;
const SIGNED_BY_OTHER = { chainId: '0x1', address: TO, nonce: '0x7', yParity: '0x1', r: '0x5', s: '0x6' } as const;

const transactions: readonly [string, TypedTxData, Record<string, unknown>][] = [
  ['without a type', { ...BASE, type: 0, gasPrice: 20n }, { gasPrice: '0x14', chainId: '0x1', type: '0x0' }],
  [
    'with an access list',
    { ...BASE, type: 1, gasPrice: 20n, chainId: 1n, accessList: LIST },
    { gasPrice: '0x14', chainId: '0x1', accessList: LIST, type: '0x1' },
  ],
  [
    'with a fee cap',
    { ...BASE, ...FEES, type: 2, accessList: [] },
    {
      gasPrice: '0x32',
      maxFeePerGas: '0x32',
      maxPriorityFeePerGas: '0x3',
      chainId: '0x1',
      accessList: [],
      type: '0x2',
    },
  ],
  [
    'with blobs',
    { ...BASE, ...FEES, type: 3, accessList: LIST, maxFeePerBlobGas: 9n, blobVersionedHashes: [WORD] },
    {
      ...{ gasPrice: '0x32', maxFeePerGas: '0x32', maxPriorityFeePerGas: '0x3', maxFeePerBlobGas: '0x9' },
      ...{ blobVersionedHashes: [WORD], chainId: '0x1', accessList: LIST, type: '0x3' },
    },
  ],
  [
    'that sets code',
    { ...BASE, ...FEES, type: 4, accessList: LIST, authorizationList: [SIGNED_BY_OTHER] },
    {
      ...{ gasPrice: '0x32', maxFeePerGas: '0x32', maxPriorityFeePerGas: '0x3', chainId: '0x1', type: '0x4' },
      ...{ accessList: LIST, authorizationList: [SIGNED_BY_OTHER] },
    },
  ],
];

test.each(transactions)('shows a transaction %s as it was signed', (_, fields, expected) => {
  const signed = createTx(fields, { common }).sign(KEY);
  const { v, r, s } = signed.toJSON();
  const hash = bytesToHex(signed.hash());
  expect(transactionJson({ hash, from: SENDER, raw: signed.serialize() }, undefined)).toEqual({
    blockHash: null,
    blockNumber: null,
    blockTimestamp: null,
    transactionIndex: null,
    from: SENDER,
    gas: '0x186a0',
    hash,
    input: '0x00ff',
    nonce: '0x5',
    to: TO,
    value: '0xde0b6b3a7640000',
    v,
    r,
    s,
    ...expected,
    ...(fields.type === 0 ? {} : { yParity: v }),
  });
});

test('knows whom it calls and what it carries', () => {
  const creation = createTx({ type: 2, ...FEES, data: '0x60', gasLimit: 60_000n }, { common })
    .sign(KEY)
    .serialize();
  expect(findRecipient(creation)).toBeUndefined();
  expect(transactionJson({ hash: WORD, from: SENDER, raw: creation }, undefined)).toMatchObject({
    to: null,
    nonce: '0x0',
  });
  const blobs = createTx(
    { ...BASE, ...FEES, type: 3, maxFeePerBlobGas: 9n, blobVersionedHashes: [WORD, WORD] },
    { common },
  );
  expect([findRecipient(blobs.sign(KEY).serialize()), getBlobs(blobs.sign(KEY).serialize())]).toEqual([TO, 2]);
});

test('a transaction from before EIP-155 has no chain id', () => {
  const early = new Common({ chain: Mainnet, hardfork: Hardfork.Homestead });
  const raw = createTx({ type: 0, gasPrice: 1n, gasLimit: 21_000n, to: TO }, { common: early }).sign(KEY).serialize();
  const json = transactionJson({ hash: WORD, from: SENDER, raw }, undefined);
  expect(json).not.toHaveProperty('chainId');
  expect(json).toMatchObject({ v: expect.stringMatching(/^0x1[bc]$/) });
});
