import { STACK_AT } from '../../../packages/evm-machine/src/interpreter/fast/layout.ts';
import {
  ELSE,
  END,
  get,
  I32_ADD,
  I32_AND,
  I32_FROM_I64,
  I32_IS_ZERO,
  I32_OR,
  I32_SUBTRACT,
  I64_ADD,
  I64_AND,
  I64_DIVIDE,
  I64_EQUAL,
  I64_FROM_I32,
  I64_IS_ZERO,
  I64_LESS,
  I64_LESS_SIGNED,
  I64_LOAD_BYTE,
  I64_MULTIPLY,
  I64_OR,
  I64_REMAINDER,
  I64_SHIFT_LEFT,
  I64_SHIFT_RIGHT,
  I64_SHIFT_RIGHT_SIGNED,
  I64_SUBTRACT,
  I64_XOR,
  IF,
  LOCAL_TEE,
  NO_RESULT,
  SELECT,
  set,
  unsigned,
} from '../module.ts';
import {
  a,
  b,
  CARRY,
  exitIf,
  type Fast,
  half,
  LIMBS,
  load,
  move,
  operand,
  operands,
  product,
  SUM,
  simple,
  small,
  store,
  storeSmall,
  TOP,
  upperLimbs,
  wide,
} from './assembly.ts';

/* Instructions on words that take them from the stack and give one. */

const add = (): number[] => [
  ...operands(),
  ...LIMBS.flatMap((limb) => [
    ...[...get(a(limb)), ...get(b(limb)), I64_ADD, ...set(SUM)],
    ...(limb === 0 ? get(SUM) : [...get(SUM), ...get(CARRY), I64_ADD]),
    ...[...set(b(limb)), ...store(2, limb, get(b(limb)))],
    // Either sum may have gone beyond 64 bits.
    ...carry(limb, [...get(SUM), ...get(a(limb)), I64_LESS], [...get(b(limb)), ...get(SUM), I64_LESS]),
  ]),
  ...move(-1),
];

const subtract = (): number[] => [
  ...operands(),
  ...LIMBS.flatMap((limb) => [
    ...[...get(a(limb)), ...get(b(limb)), I64_SUBTRACT, ...set(SUM)],
    ...store(2, limb, limb === 0 ? get(SUM) : [...get(SUM), ...get(CARRY), I64_SUBTRACT]),
    ...carry(limb, [...get(a(limb)), ...get(b(limb)), I64_LESS], [...get(SUM), ...get(CARRY), I64_LESS]),
  ]),
  ...move(-1),
];

/** Sets the carry to the next limb: there is none after the highest, and none before the lowest that could add to it. */
function carry(limb: number, own: readonly number[], ofCarry: readonly number[]): number[] {
  if (limb === 3) return [];
  return [...own, ...(limb === 0 ? [] : [...ofCarry, I32_OR]), I64_FROM_I32, ...set(CARRY)];
}

const LOW_HALF = [...wide(-1), ...wide(32), I64_SHIFT_RIGHT, I64_AND];
const HIGH_HALF = [...wide(32), I64_SHIFT_RIGHT];
const EIGHT = [0, 1, 2, 3, 4, 5, 6, 7] as const;

/** Long multiplication by halves of limbs. Rows of halves that are 0 are left out, so the shorter number is the first. */
const multiply = (): number[] => [
  ...operands(),
  ...[...upperLimbs(b), I64_IS_ZERO, IF, NO_RESULT],
  ...LIMBS.flatMap((limb) => [...get(a(limb)), ...get(b(limb)), ...set(a(limb)), ...set(b(limb))]),
  END,
  ...EIGHT.flatMap((index) => [
    ...[...get(b(index >> 1)), ...(index % 2 === 0 ? LOW_HALF : HIGH_HALF), ...set(half(index))],
    ...[...wide(0), ...set(product(index))],
  ]),
  ...EIGHT.flatMap(multiplyRow),
  ...LIMBS.flatMap((limb) =>
    store(2, limb, [...get(product(2 * limb + 1)), ...wide(32), I64_SHIFT_LEFT, ...get(product(2 * limb)), I64_OR]),
  ),
  ...move(-1),
];

/** Adds the product of a half of `a`, this many halves up, and `b`. A product and two numbers of 32 bits have 64 bits. */
const multiplyRow = (row: number): number[] => [
  ...[...get(a(row >> 1)), ...(row % 2 === 0 ? LOW_HALF : HIGH_HALF)],
  ...[LOCAL_TEE, SUM, I64_IS_ZERO, I32_IS_ZERO, IF, NO_RESULT],
  ...[...wide(0), ...set(CARRY)],
  ...EIGHT.slice(row).flatMap((place) => [
    ...[...get(SUM), ...get(half(place - row)), I64_MULTIPLY, ...get(product(place)), I64_ADD, ...get(CARRY), I64_ADD],
    ...[LOCAL_TEE, CARRY, ...LOW_HALF, ...set(product(place)), ...get(CARRY), ...HIGH_HALF, ...set(CARRY)],
  ]),
  END,
];

/** For numbers of 64 bits; others are left to long division. */
const divide = (opcode: number, operation: number): Fast => ({
  opcode,
  bytes: 1,
  body: (exit) => [
    ...operands(),
    ...[...upperLimbs(a), ...upperLimbs(b), I64_OR, I64_IS_ZERO, I32_IS_ZERO, ...exitIf(exit)],
    ...[...get(b(0)), I64_IS_ZERO, IF, NO_RESULT, ...storeSmall(2, wide(0)), ELSE],
    ...[...storeSmall(2, [...get(a(0)), ...get(b(0)), operation]), END],
    ...move(-1),
  ],
});

/** The highest limbs decide; if they are equal, those below. */
const less = (first: typeof a, second: typeof a, isSigned: boolean): number[] => [
  ...operands(),
  ...storeSmall(2, [
    ...[...get(first(0)), ...get(second(0)), I64_LESS],
    ...[1, 2, 3].flatMap((limb) => [
      ...[...get(first(limb)), ...get(second(limb)), isSigned && limb === 3 ? I64_LESS_SIGNED : I64_LESS],
      ...[...get(first(limb)), ...get(second(limb)), I64_EQUAL, SELECT],
    ]),
    I64_FROM_I32,
  ]),
  ...move(-1),
];

/** Whether the limbs computed from the limbs at each place are all 0. */
const allZero = (ofLimb: (limb: number) => readonly number[]): number[] => [
  ...LIMBS.flatMap((limb) => [...ofLimb(limb), ...(limb === 0 ? [] : [I64_OR])]),
  ...[I64_IS_ZERO, I64_FROM_I32],
];

const equal = (): number[] => [
  ...storeSmall(
    2,
    allZero((limb) => [...load(1, limb), ...load(2, limb), I64_XOR]),
  ),
  ...move(-1),
];

const isZero = (): number[] =>
  storeSmall(
    1,
    allZero((limb) => load(1, limb)),
  );

const bitwise = (operation: number): number[] => [
  ...LIMBS.flatMap((limb) => store(2, limb, [...load(1, limb), ...load(2, limb), operation])),
  ...move(-1),
];

const not = (): number[] => LIMBS.flatMap((limb) => store(1, limb, [...load(1, limb), ...wide(-1), I64_XOR]));

/** Whether the word in `a` is less than a bound of 64 bits. */
const isBelow = (bound: number): number[] => [
  ...[...upperLimbs(a), I64_IS_ZERO, ...get(a(0)), ...wide(bound), I64_LESS, I32_AND],
];

/** Counted from the highest byte, which is the last one here. */
const byte = (): number[] => [
  ...[...operand(1, a), ...isBelow(32), IF, NO_RESULT],
  ...storeSmall(2, [
    ...[...get(TOP), ...small(31), I32_ADD, ...get(a(0)), I32_FROM_I64, I32_SUBTRACT],
    ...[I64_LOAD_BYTE, 0, ...unsigned(STACK_AT - 2 * 32)],
  ]),
  ...[ELSE, ...storeSmall(2, wide(0)), END],
  ...move(-1),
];

/** First by whole limbs, then by bits. */
function shift(isLeft: boolean, isSigned = false): number[] {
  // Limbs in the order in which each takes what comes from those after it.
  const order = isLeft ? [3, 2, 1, 0] : [0, 1, 2, 3];
  const limb = (place: number): number => b(order[place] ?? 0);
  const [along, against] = isLeft ? [I64_SHIFT_LEFT, I64_SHIFT_RIGHT] : [I64_SHIFT_RIGHT, I64_SHIFT_LEFT];
  const fill = get(CARRY);
  const after = (place: number, count: number) => (place + count < 4 ? get(limb(place + count)) : fill);
  const byLimbs = (count: number) => [
    ...[...get(a(0)), ...wide(64 * count), I64_AND, I64_IS_ZERO, I32_IS_ZERO, IF, NO_RESULT],
    ...[...LIMBS.flatMap((place) => [...after(place, count), ...set(limb(place))]), END],
  ];
  return [
    ...operands(),
    ...(isSigned ? [...get(b(3)), ...wide(63), I64_SHIFT_RIGHT_SIGNED] : wide(0)),
    ...[...set(CARRY), ...isBelow(256), IF, NO_RESULT],
    ...[...byLimbs(2), ...byLimbs(1)],
    // Shifts of limbs are by the lowest six bits of the operand.
    ...[...wide(63), ...get(a(0)), I64_SUBTRACT, ...set(SUM)],
    ...LIMBS.flatMap((place) =>
      store(2, order[place] ?? 0, [
        ...[...get(limb(place)), ...get(a(0)), along],
        // In two steps, since a shift by 64 is one by 0.
        ...[...after(place, 1), ...wide(1), against, ...get(SUM), against, I64_OR],
      ]),
    ),
    ...[ELSE, ...LIMBS.flatMap((place) => store(2, place, fill)), END],
    ...move(-1),
  ];
}

export const ON_WORDS: readonly Fast[] = [
  simple(0x01, add()),
  simple(0x02, multiply()),
  simple(0x03, subtract()),
  divide(0x04, I64_DIVIDE),
  divide(0x06, I64_REMAINDER),
  simple(0x10, less(a, b, false)),
  simple(0x11, less(b, a, false)),
  simple(0x12, less(a, b, true)),
  simple(0x13, less(b, a, true)),
  simple(0x14, equal()),
  simple(0x15, isZero()),
  simple(0x16, bitwise(I64_AND)),
  simple(0x17, bitwise(I64_OR)),
  simple(0x18, bitwise(I64_XOR)),
  simple(0x19, not()),
  simple(0x1a, byte()),
  simple(0x1b, shift(true)),
  simple(0x1c, shift(false)),
  simple(0x1d, shift(false, true)),
];
