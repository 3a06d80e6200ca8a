import { createTxFromRLP } from '@ethereumjs/tx';
import { cancunRules } from '@switchyard/evm-machine/ethereumjs-testing';
import { recoverSender } from '@switchyard/evm-machine/recover';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { asBytes, asList, bytesToHex, decodeRlp, encodeRlp, hexToBytes } from '@switchyard/protocol/ethereum';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEV_ACCOUNTS } from '../genesis/development-accounts.ts';
import { signTransaction, type UnsignedTransaction } from './sign.ts';
import { decodeTransaction, InvalidTransaction, type Transaction } from './transaction.ts';

const [account = { address: '0x', privateKey: '0x' }] = DEV_ACCOUNTS;
const common = cancunRules(1337n);

const uint = (bits: bigint) => fc.bigInt({ min: 0n, max: (1n << bits) - 1n });
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(bytesToHex);
const address: fc.Arbitrary<Address> = bytes(20);
const key: fc.Arbitrary<Hash> = bytes(32);
const list = fc.array(fc.record({ address, storageKeys: fc.array(key, { maxLength: 3 }) }), { maxLength: 3 });

const body = fc.record({
  // EthereumJS refuses the last nonce, and costs that no balance can be.
  nonce: uint(63n),
  gasLimit: uint(32n).map((gas) => gas + 10_000_000n),
  to: fc.option(address, { nil: undefined }),
  value: uint(128n),
  data: fc.uint8Array({ maxLength: 300 }),
});
const unsigned: fc.Arbitrary<UnsignedTransaction> = fc
  .tuple(body, fc.nat(3), uint(100n), uint(100n), list)
  .map(([fields, type, fee, tip, accessList]) => {
    if (type === 0) return { ...fields, chainId: 1337n, gasPrice: fee };
    if (type === 1) return { ...fields, chainId: 1337n, gasPrice: fee, accessList };
    if (type === 2) return { ...fields, chainId: undefined, gasPrice: fee };
    return { ...fields, chainId: 1337n, maxFeePerGas: fee + tip, maxPriorityFeePerGas: tip, accessList };
  });

test('what is signed is what is decoded, and EthereumJS sees the same transaction', () => {
  fc.assert(
    fc.property(unsigned, (fields) => {
      const raw = signTransaction(fields, account.privateKey);
      const tx = decodeTransaction(raw);
      const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, accessList = [], ...same } = fields;
      const fees = { maxFeePerGas: maxFeePerGas ?? gasPrice, maxPriorityFeePerGas: maxPriorityFeePerGas ?? gasPrice };
      expect(tx).toMatchObject({ ...same, ...fees, accessList, raw });
      expect(recoverSender(tx.signature)).toBe(account.address);
      const theirs = createTxFromRLP(raw, { common });
      expect([tx.type, tx.hash]).toEqual([theirs.type, bytesToHex(theirs.hash())]);
      expect(String(theirs.getSenderAddress())).toBe(account.address);
    }),
  );
});

/** Changes one byte, cuts, or adds. */
const damage = (raw: Uint8Array) =>
  fc.oneof(
    fc.tuple(fc.nat(raw.length - 1), fc.nat(255)).map(([at, byte]) => raw.with(at, byte)),
    fc.nat(raw.length - 1).map((end) => raw.slice(0, end)),
    fc.nat(255).map((byte) => Uint8Array.from([...raw, byte])),
  );

test('damaged bytes are refused or are another transaction that EthereumJS knows too', () => {
  const damaged = unsigned.map((fields) => signTransaction(fields, account.privateKey)).chain(damage);
  fc.assert(
    fc.property(damaged, (raw) => {
      let tx: Transaction;
      try {
        tx = decodeTransaction(raw);
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidTransaction);
        return;
      }
      // Its chain id may be unknown to the library's rules; only form and hash count here.
      if (tx.chainId !== undefined && tx.chainId !== 1337n) return;
      // The library refuses these as well: our rules do so after decoding, and no balance is that high.
      if (tx.maxPriorityFeePerGas > tx.maxFeePerGas || tx.gasLimit * tx.maxFeePerGas >= 1n << 255n) return;
      expect(bytesToHex(createTxFromRLP(raw, { common }).hash())).toBe(tx.hash);
    }),
    { numRuns: 500 },
  );
});

test('what decodes has one encoding', () => {
  const damaged = unsigned.map((fields) => signTransaction(fields, account.privateKey)).chain(damage);
  fc.assert(
    fc.property(damaged, (raw) => {
      try {
        decodeTransaction(raw);
      } catch {
        return;
      }
      const isTyped = (raw[0] ?? 0) < 0xc0;
      expect(bytesToHex(encodeRlp(decodeRlp(isTyped ? raw.subarray(1) : raw)))).toBe(
        bytesToHex(isTyped ? raw.subarray(1) : raw),
      );
    }),
    { numRuns: 300 },
  );
});

const plain = { chainId: 1337n, nonce: 5n, gasLimit: 21_000n, gasPrice: 7n };
const legacy = signTransaction(plain, account.privateKey);
const typed = signTransaction({ ...plain, accessList: [] }, account.privateKey);
/** Fields of the list, with inner lists replaced by empty ones. */
const fieldsIn = (raw: Uint8Array) => asList(decodeRlp(raw)).map((field) => (field instanceof Uint8Array ? field : []));

test.each<[string, () => Uint8Array]>([
  ['a byte behind a legacy transaction', () => Uint8Array.from([...legacy, 0])],
  ['a byte behind a typed transaction', () => Uint8Array.from([...typed, 0])],
  ['a longer length of the list', () => Uint8Array.from([0xf9, 0, legacy[1] ?? 0, ...legacy.subarray(2)])],
  ['a nonce with a leading zero', () => encodeRlp(fieldsIn(legacy).with(0, Uint8Array.of(0, 5)))],
  ['a zero written as a byte', () => encodeRlp(fieldsIn(legacy).with(4, Uint8Array.of(0)))],
  [
    'the other s, with the other v',
    () => {
      const fields = fieldsIn(legacy);
      const number = (index: number) => BigInt(bytesToHex(asBytes(fields[index] as Uint8Array)));
      const v = number(6);
      return encodeRlp(
        fields
          .with(8, hexToBytes(`0x${(ORDER - number(8)).toString(16).padStart(64, '0')}`))
          .with(6, hexToBytes(`0x${(v % 2n === 0n ? v - 1n : v + 1n).toString(16).padStart(4, '0')}`)),
      );
    },
  ],
])('a transaction of another sender cannot be given another hash by %s', (_, make) => {
  expect(decodeTransaction(legacy).hash).not.toBe(decodeTransaction(typed).hash);
  const raw = make();
  expect(bytesToHex(raw)).not.toBe(bytesToHex(legacy));
  expect(() => decodeTransaction(raw)).toThrow(InvalidTransaction);
});

test('no bytes do anything but decode or be refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (raw) => {
      expect(() => decodeTransaction(raw)).toThrow(InvalidTransaction);
    }),
  );
});

const getCode = (raw: Uint8Array) => {
  try {
    decodeTransaction(raw);
  } catch (error) {
    if (error instanceof InvalidTransaction) return error.code;
  }
  return undefined;
};

test.each([
  ['nothing', '0x', 'malformed'],
  ['a blob transaction', '0x03c0', 'blob-transaction'],
  ['a transaction that sets code and has no fields', '0x04c0', 'malformed'],
  ['a type that there is not', '0x05c0', 'unknown-type'],
  ['a deposit of another rollup stack', '0x7ec0', 'unknown-type'],
  ['text', '0x80', 'malformed'],
  ['a list that is none', '0x02ff', 'malformed'],
] as const)('names what is wrong with %s', (_, raw, code) => {
  expect(getCode(hexToBytes(raw))).toBe(code);
});

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

test.each([
  ['r is 0', 0n, 1n, 1n],
  ['r is the order of the curve', ORDER, 1n, 1n],
  ['s is 0', 1n, 0n, 1n],
  ['s is in the upper half (EIP-2)', 1n, ORDER / 2n + 1n, 1n],
  ['the parity is 2', 1n, 1n, 2n],
])('refuses a signature in which %s', (_, r, s, parity) => {
  const fields = [1337n, 0n, 0n, 1n, 21_000n, new Uint8Array(20), 0n, new Uint8Array(), [], parity, r, s];
  expect(getCode(Uint8Array.from([2, ...encodeRlp(fields)]))).toBe('bad-signature');
});

test.each([0n, 1n, 26n, 29n, 34n])('a legacy transaction with v %i has no signature', (v) => {
  const fields = [0n, 1n, 21_000n, new Uint8Array(20), 0n, new Uint8Array(), v, 1n, 1n];
  expect(getCode(encodeRlp(fields))).toBe('bad-signature');
});
