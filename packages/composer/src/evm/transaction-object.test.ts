import { InvalidData } from '@switchyard/service/input';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toBytes, vector, vectors } from './testing/vectors.ts';
import { rawBytes, transactionBytes } from './transaction-object.ts';

describe('a transaction from its object', () => {
  test.each(vectors().map((each) => [String(each.object.type), each] as const))(
    'of type %s has its bytes',
    (_, each) => {
      expect(transactionBytes(each.object)).toEqual({ hash: each.object.hash, bytes: toBytes(each) });
    },
  );

  test('of an older node, with `data` and without a y parity, has its bytes', () => {
    const { input, yParity, ...object } = vector(2).object;
    expect(transactionBytes({ ...object, data: input }).bytes).toEqual(toBytes(vector(2)));
    expect(yParity).toBe('0x0');
  });

  test.each([
    ['no object', null, 'transaction: expected an object, got null'],
    [
      'no hash',
      { ...vector(0).object, hash: '0x12' },
      'transaction.hash: expected 32 bytes in hex with 0x, got "0x12"',
    ],
    ['a missing field', { ...vector(2).object, maxFeePerGas: undefined }, 'make a transaction with hash'],
    [
      'a number that is none',
      { ...vector(0).object, nonce: 7 },
      'transaction.nonce: expected a number in hex such as 0x1, got 7',
    ],
    ['another signature', { ...vector(1).object, r: '0x1' }, 'make a transaction with hash'],
    ['blobs', { ...vector(2).object, type: '0x3' }, 'blob'],
    [
      'a type that cannot be read',
      { ...vector(2).object, type: { toString: 1, valueOf: 1 } },
      'transaction.type: expected 0x0, 0x1, 0x2 or 0x4, got an object',
    ],
    [
      'a type to come',
      { ...vector(2).object, type: '0x5' },
      'transaction.type: expected 0x0, 0x1, 0x2 or 0x4, got "0x5"',
    ],
  ])('with %s is rejected as unusable', (_, object, message) => {
    expect(() => transactionBytes(object)).toThrow(
      expect.objectContaining({ name: 'InvalidData', message: expect.stringContaining(message) }),
    );
  });

  test('whatever a node shows, nothing else is thrown', () => {
    const odd = fc.oneof(fc.anything(), fc.constantFrom('0x', '0x0', '0xzz', 'x'.repeat(70)));
    const fields = fc.dictionary(fc.constantFrom(...Object.keys(vector(2).object), 'accessList'), odd);
    fc.assert(
      fc.property(fields, fc.nat(3), (changes, which) => {
        try {
          transactionBytes({ ...vector(which).object, ...changes });
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidData);
        }
      }),
    );
  });
});

describe('bytes that a node gives', () => {
  test('are those of the hash', () => {
    const { raw, object } = vector(3);
    expect(rawBytes(raw, object.hash)).toEqual(toBytes(vector(3)));
    expect(() => rawBytes(raw, vector(0).object.hash)).toThrow('have another hash');
    expect(() => rawBytes('0x03aa', object.hash)).toThrow('blob');
    expect(() => rawBytes(`0x${'00'.repeat(300_000)}`, object.hash)).toThrow('at most 262144 bytes');
  });
});
