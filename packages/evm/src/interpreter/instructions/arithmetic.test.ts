import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Frame } from '../frame.ts';
import { bigAt, PARTS, setBig } from '../words.ts';
import { add, div, mod, mul, sdiv, smod, sub } from './arithmetic.ts';
import { sar, sgt, shl, shr, slt } from './bits.ts';

const MODULUS = 2n ** 256n;
const LIMIT = MODULUS - 1n;
/** Also with runs of zeros and ones, where carries and signs are. */
const word = fc.oneof(
  fc.bigInt({ min: 0n, max: LIMIT }),
  fc.bigInt({ min: 0n, max: 2n ** 54n }),
  fc.tuple(fc.integer({ min: 0, max: 256 }), fc.integer({ min: 0, max: 256 })).map(([from, to]) => {
    return ((1n << BigInt(Math.max(from, to))) - (1n << BigInt(Math.min(from, to)))) & LIMIT;
  }),
);
const signed = (value: bigint) => BigInt.asIntN(256, value);
const shifted = (by: bigint, value: bigint) => (by > 256n ? 0n : value);

const OPERATIONS: Readonly<Record<string, [(frame: Frame) => void, (top: bigint, below: bigint) => bigint]>> = {
  ADD: [add, (left, right) => left + right],
  SUB: [sub, (left, right) => left - right],
  MUL: [mul, (left, right) => left * right],
  DIV: [div, (left, right) => (right === 0n ? 0n : left / right)],
  MOD: [mod, (left, right) => (right === 0n ? 0n : left % right)],
  SDIV: [sdiv, (left, right) => (right === 0n ? 0n : signed(left) / signed(right))],
  SMOD: [smod, (left, right) => (right === 0n ? 0n : signed(left) % signed(right))],
  SLT: [slt, (left, right) => (signed(left) < signed(right) ? 1n : 0n)],
  SGT: [sgt, (left, right) => (signed(left) > signed(right) ? 1n : 0n)],
  SHL: [shl, (by, value) => shifted(by, value << (by > 256n ? 0n : by))],
  SHR: [shr, (by, value) => shifted(by, value >> (by > 256n ? 0n : by))],
  SAR: [sar, (by, value) => signed(value) >> (by > 256n ? 256n : by)],
};

test.each(Object.entries(OPERATIONS))('%s is what it is of big integers', (_, [operation, expected]) => {
  const frame = new Frame();
  const operand = fc.oneof(word, fc.bigInt({ min: 0n, max: 300n }));
  fc.assert(
    fc.property(operand, word, (top, below) => {
      setBig(frame.stack, 0, below);
      setBig(frame.stack, PARTS, top);
      frame.top = 2 * PARTS;
      operation(frame);
      expect(frame.top).toBe(PARTS);
      expect(bigAt(frame.stack, 0)).toBe(BigInt.asUintN(256, expected(top, below)));
    }),
    { numRuns: 2_000 },
  );
});
