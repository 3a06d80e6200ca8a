import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Frame } from '../frame.ts';
import { powerOfWords } from '../power.ts';
import { bigAt, PARTS, setBig } from '../words.ts';
import { add, addmod, div, mod, mul, mulmod, sdiv, smod, sub } from './arithmetic.ts';
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
/** There are hundreds of thousands of comparisons, and the matcher takes longer than what is compared. */
function same<T>(actual: T, expected: T): void {
  if (actual !== expected) expect(actual).toBe(expected);
}

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
      same(frame.top, PARTS);
      same(bigAt(frame.stack, 0), BigInt.asUintN(256, expected(top, below)));
    }),
    { numRuns: 2_000 },
  );
});

/** Where carries, signs and digits of quotients end. */
const EDGES = [
  0n,
  1n,
  2n,
  3n,
  2n ** 24n - 1n,
  2n ** 24n,
  2n ** 32n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 128n - 1n,
  2n ** 128n,
].flatMap((edge) => [edge, BigInt.asUintN(256, -edge), 2n ** 255n - edge, BigInt.asUintN(256, 2n ** 255n + edge)]);

test.each(Object.entries(OPERATIONS))('%s at the edges', (_, [operation, expected]) => {
  const frame = new Frame();
  for (const top of EDGES) {
    for (const below of EDGES) {
      setBig(frame.stack, 0, below);
      setBig(frame.stack, PARTS, top);
      frame.top = 2 * PARTS;
      operation(frame);
      same(bigAt(frame.stack, 0), BigInt.asUintN(256, expected(top, below)));
    }
  }
});

/** Quotients with digits of zeros and ones, and remainders next to 0 and to the divisor. */
const nearMultiple = fc
  .tuple(word, word, fc.integer({ min: -2, max: 2 }))
  .map(([divisor, factor, by]): [bigint, bigint] => {
    const shorter = factor >> BigInt(divisor.toString(2).length);
    return [BigInt.asUintN(256, divisor * shorter + BigInt(by)), divisor];
  });

test('quotients and remainders next to a multiple of the divisor', () => {
  const frame = new Frame();
  fc.assert(
    fc.property(nearMultiple, ([dividend, divisor]) => {
      for (const [operation, expected] of [
        [div, divisor === 0n ? 0n : dividend / divisor],
        [mod, divisor === 0n ? 0n : dividend % divisor],
      ] as const) {
        setBig(frame.stack, 0, divisor);
        setBig(frame.stack, PARTS, dividend);
        frame.top = 2 * PARTS;
        operation(frame);
        same(bigAt(frame.stack, 0), expected);
      }
    }),
    { numRuns: 10_000 },
  );
});

test.each([
  ['ADDMOD', addmod, (left: bigint, right: bigint) => left + right],
  ['MULMOD', mulmod, (left: bigint, right: bigint) => left * right],
] as const)('%s is what it is of big integers', (_, operation, expected) => {
  const frame = new Frame();
  const check = (left: bigint, right: bigint, modulus: bigint) => {
    setBig(frame.stack, 0, modulus);
    setBig(frame.stack, PARTS, right);
    setBig(frame.stack, 2 * PARTS, left);
    frame.top = 3 * PARTS;
    operation(frame);
    same(frame.top, PARTS);
    same(bigAt(frame.stack, 0), modulus === 0n ? 0n : expected(left, right) % modulus);
  };
  const few = EDGES.filter((_, index) => index % 3 === 0);
  for (const left of few) for (const right of few) for (const modulus of EDGES) check(left, right, modulus);
  fc.assert(fc.property(word, word, word, check), { numRuns: 10_000 });
});

test('powers are what they are of big integers', () => {
  const words = new Uint32Array(2 * PARTS);
  const check = (base: bigint, exponent: bigint) => {
    setBig(words, 0, exponent);
    setBig(words, PARTS, base);
    powerOfWords(words, PARTS, 0);
    same(bigAt(words, 0), power(base, exponent));
  };
  for (const base of EDGES) for (const exponent of EDGES) check(base, exponent);
  fc.assert(fc.property(word, word, check), { numRuns: 1_000 });
});

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (const bit of exponent.toString(2)) {
    result = BigInt.asUintN(256, result * result * (bit === '1' ? base : 1n));
  }
  return result;
}
