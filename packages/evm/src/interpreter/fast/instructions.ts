import {
  BRANCH_IF,
  ELSE,
  END,
  get,
  I32_ADD,
  I32_IS_ZERO,
  I64_ADD,
  I64_AND,
  I64_MULTIPLY,
  I64_SHIFT_RIGHT,
  I64_SHIFT_RIGHT_SIGNED,
  I64_SUBTRACT,
  I64_XOR,
  IF,
  LOCAL_TEE,
  NO_RESULT,
  set,
  unsigned,
} from '@switchyard/protocol/wasm';
import {
  a,
  b,
  CARRY,
  CODE_AT,
  HEADER,
  HEADER_AT,
  half,
  LENGTH,
  LIMBS,
  limbsAbove,
  load,
  MEMORY_AT,
  move,
  OWN_AT,
  operands,
  PC,
  PLACE,
  REACH,
  REVERSED,
  ROOM,
  result,
  SUM,
  small,
  store,
  storeSmall,
  TARGETS_AT,
  TOP,
  vector,
  wide,
} from './assembly.ts';

const I32_LOAD = 0x28;
const I32_LOAD_BYTE = 0x2d;
const I64_LOAD_BYTE = 0x31;
const I64_STORE_BYTE = 0x3c;
const I32_OR = 0x72;
const I64_IS_ZERO = 0x50;
const I64_EQUAL = 0x51;
const I64_LESS_SIGNED = 0x53;
const I64_LESS = 0x54;
const I64_NOT_LESS = 0x5a;
const I64_DIVIDE = 0x80;
const I64_REMAINDER = 0x82;
const I64_OR = 0x84;
const I64_SHIFT_LEFT = 0x86;
const SELECT = 0x1b;
const TO_I32 = 0xa7;
const TO_I64 = 0xad;

/**
 * Does what an instruction does where nothing special happens.
 *
 * @param exit Label to branch to, before anything is changed, where something does.
 */
export interface Fast {
  readonly opcode: number;
  readonly body: (exit: number) => number[];
  /** Bytes to the next instruction; 0 where the body has set the place itself. */
  readonly bytes: number;
}

const exitIf = (label: number): number[] => [BRANCH_IF, ...unsigned(label)];

const simple = (opcode: number, body: readonly number[]): Fast => ({ opcode, body: () => [...body], bytes: 1 });

const add = (): number[] => [
  ...operands(),
  ...LIMBS.flatMap((limb) => [
    ...[...get(a(limb)), ...get(b(limb)), I64_ADD, ...set(SUM)],
    ...(limb === 0 ? get(SUM) : [...get(SUM), ...get(CARRY), I64_ADD]),
    ...set(b(limb)),
    ...store(2, limb, get(b(limb))),
    ...(limb === 3
      ? []
      : [
          ...[...get(SUM), ...get(a(limb)), I64_LESS],
          ...(limb === 0 ? [] : [...get(b(limb)), ...get(SUM), I64_LESS, I32_OR]),
          ...[TO_I64, ...set(CARRY)],
        ]),
  ]),
  ...move(-1),
];

const subtract = (): number[] => [
  ...operands(),
  ...LIMBS.flatMap((limb) => [
    ...[...get(a(limb)), ...get(b(limb)), I64_SUBTRACT, ...set(SUM)],
    ...store(2, limb, limb === 0 ? get(SUM) : [...get(SUM), ...get(CARRY), I64_SUBTRACT]),
    ...(limb === 3
      ? []
      : [
          ...[...get(a(limb)), ...get(b(limb)), I64_LESS],
          ...(limb === 0 ? [] : [...get(SUM), ...get(CARRY), I64_LESS, I32_OR]),
          ...[TO_I64, ...set(CARRY)],
        ]),
  ]),
  ...move(-1),
];

const LOW = [...wide(-1), ...wide(32), I64_SHIFT_RIGHT];

/** Long multiplication by halves of limbs. Rows of halves that are 0 are left out, so the shorter number is the first. */
const multiply = (): number[] => [
  ...operands(),
  ...[...limbsAbove(b), I64_IS_ZERO, IF, NO_RESULT],
  ...LIMBS.flatMap((limb) => [...get(a(limb)), ...get(b(limb)), ...set(a(limb)), ...set(b(limb))]),
  END,
  ...LIMBS.flatMap((limb) => [
    ...[...get(b(limb)), ...LOW, I64_AND, ...set(half(2 * limb))],
    ...[...get(b(limb)), ...wide(32), I64_SHIFT_RIGHT, ...set(half(2 * limb + 1))],
    ...[...wide(0), LOCAL_TEE, result(2 * limb), ...set(result(2 * limb + 1))],
  ]),
  ...Array.from({ length: 8 }, (_, row) => multiplyRow(row)).flat(),
  ...LIMBS.flatMap((limb) =>
    store(2, limb, [...get(result(2 * limb + 1)), ...wide(32), I64_SHIFT_LEFT, ...get(result(2 * limb)), I64_OR]),
  ),
  ...move(-1),
];

function multiplyRow(row: number): number[] {
  const limb = get(a(row >> 1));
  return [
    ...(row % 2 === 0 ? [...limb, ...LOW, I64_AND] : [...limb, ...wide(32), I64_SHIFT_RIGHT]),
    ...[LOCAL_TEE, SUM, I64_IS_ZERO, I32_IS_ZERO, IF, NO_RESULT],
    ...wide(0),
    ...set(CARRY),
    ...Array.from({ length: 8 - row }, (_, column) => [
      ...[...get(SUM), ...get(half(column)), I64_MULTIPLY, ...get(result(row + column)), I64_ADD],
      ...[...get(CARRY), I64_ADD, LOCAL_TEE, CARRY, ...LOW, I64_AND, ...set(result(row + column))],
      ...[...get(CARRY), ...wide(32), I64_SHIFT_RIGHT, ...set(CARRY)],
    ]).flat(),
    END,
  ];
}

/** Of numbers of 64 bits; others are left to long division. */
const divide = (opcode: number, operation: number): Fast => ({
  opcode,
  bytes: 1,
  body: (exit) => [
    ...operands(),
    ...[...limbsAbove(a), ...limbsAbove(b), I64_OR, I64_IS_ZERO, I32_IS_ZERO, ...exitIf(exit)],
    ...[...get(b(0)), I64_IS_ZERO, IF, NO_RESULT, ...storeSmall(2, wide(0)), ELSE],
    ...[...storeSmall(2, [...get(a(0)), ...get(b(0)), operation]), END],
    ...move(-1),
  ],
});

/** Whether the first word is less, as a number of 32 bits. */
const isLess = (first: typeof a, other: typeof a, isSigned: boolean): number[] => [
  ...[...get(first(0)), ...get(other(0)), I64_LESS],
  ...[1, 2, 3].flatMap((limb) => [
    ...[...get(first(limb)), ...get(other(limb)), isSigned && limb === 3 ? I64_LESS_SIGNED : I64_LESS],
    ...[...get(first(limb)), ...get(other(limb)), I64_EQUAL, SELECT],
  ]),
];

const compare = (first: typeof a, other: typeof a, isSigned: boolean): number[] => [
  ...operands(),
  ...storeSmall(2, [...isLess(first, other, isSigned), TO_I64]),
  ...move(-1),
];

const equal = (): number[] => [
  ...storeSmall(2, [
    ...LIMBS.flatMap((limb) => [...load(1, limb), ...load(2, limb), I64_XOR, ...(limb === 0 ? [] : [I64_OR])]),
    ...[I64_IS_ZERO, TO_I64],
  ]),
  ...move(-1),
];

const isZero = (): number[] =>
  storeSmall(1, [
    ...LIMBS.flatMap((limb) => [...load(1, limb), ...(limb === 0 ? [] : [I64_OR])]),
    ...[I64_IS_ZERO, TO_I64],
  ]);

const bitwise = (operation: number): number[] => [
  ...LIMBS.flatMap((limb) => store(2, limb, [...load(1, limb), ...load(2, limb), operation])),
  ...move(-1),
];

const not = (): number[] => LIMBS.flatMap((limb) => store(1, limb, [...load(1, limb), ...wide(-1), I64_XOR]));

/** From the lowest place on, a word is there with its lowest byte first. */
const byte = (): number[] => [
  ...LIMBS.flatMap((limb) => [...load(1, limb), ...set(a(limb))]),
  ...[...limbsAbove(a), I64_IS_ZERO, ...get(a(0)), ...wide(32), I64_LESS, 0x71, IF, NO_RESULT],
  ...storeSmall(2, [
    ...[...get(TOP), ...small(31), I32_ADD, ...get(a(0)), TO_I32, 0x6b],
    ...[I64_LOAD_BYTE, 0, ...unsigned(544 - 64)],
  ]),
  ...[ELSE, ...storeSmall(2, wide(0)), END],
  ...move(-1),
];

/** Limbs in the order in which they take what comes from those before. */
function shift(isLeft: boolean, isSigned = false): number[] {
  const order = isLeft ? [3, 2, 1, 0] : [0, 1, 2, 3];
  const limb = (place: number): number => b(order[place] ?? 0);
  const [along, against] = isLeft ? [I64_SHIFT_LEFT, I64_SHIFT_RIGHT] : [I64_SHIFT_RIGHT, I64_SHIFT_LEFT];
  const fill = get(CARRY);
  const byLimbs = (bit: number, count: number) => [
    ...[...get(a(0)), ...wide(bit), I64_AND, I64_IS_ZERO, I32_IS_ZERO, IF, NO_RESULT],
    ...LIMBS.flatMap((place) => [...(place + count < 4 ? get(limb(place + count)) : fill), ...set(limb(place))]),
    END,
  ];
  return [
    ...operands(),
    ...(isSigned ? [...get(b(3)), ...wide(63), I64_SHIFT_RIGHT_SIGNED] : wide(0)),
    ...set(CARRY),
    ...[...limbsAbove(a), I64_IS_ZERO, ...get(a(0)), ...wide(256), I64_LESS, 0x71, IF, NO_RESULT],
    ...byLimbs(128, 2),
    ...byLimbs(64, 1),
    ...[...get(a(0)), ...wide(63), I64_AND, ...set(a(0))],
    ...[...wide(63), ...get(a(0)), I64_SUBTRACT, ...set(a(1))],
    ...LIMBS.flatMap((place) =>
      store(2, order[place] ?? 0, [
        ...[...get(limb(place)), ...get(a(0)), along],
        ...(place < 3 ? get(limb(place + 1)) : fill),
        // In two steps, since a shift by 64 is one by 0.
        ...[...wide(1), against, ...get(a(1)), against, I64_OR],
      ]),
    ),
    ...[ELSE, ...LIMBS.flatMap((place) => store(2, place, fill)), END],
    ...move(-1),
  ];
}

/** Leaves where the word in `limb` is at or beyond a bound. */
const exitFrom = (limb: typeof a, bound: number, exit: number): number[] => [
  ...[...limbsAbove(limb), I64_IS_ZERO, I32_IS_ZERO, ...get(limb(0)), ...get(bound), TO_I64, I64_NOT_LESS, I32_OR],
  ...exitIf(exit),
];

/** Reads the offset in the top word. `PLACE` is room and offset then. */
const placeInMemory = (exit: number): number[] => [
  ...LIMBS.flatMap((limb) => [...load(1, limb), ...set(a(limb))]),
  ...exitFrom(a, REACH, exit),
  ...[...get(ROOM), ...get(a(0)), TO_I32, I32_ADD, ...set(PLACE)],
];

const memoryHalf = (isUpper: boolean): number[] => [
  ...[...get(PLACE), ...vector.load(MEMORY_AT + (isUpper ? 0 : 16))],
  ...vector.zero,
  ...vector.shuffle(REVERSED),
];

const mload = (exit: number): number[] => [
  ...placeInMemory(exit),
  ...vector.toStack(1, false, memoryHalf(false)),
  ...vector.toStack(1, true, memoryHalf(true)),
];

const mstore = (exit: number): number[] => [
  ...placeInMemory(exit),
  ...[0, 2].flatMap((limb) => [
    ...[...get(PLACE), ...vector.pair(load(2, limb), load(2, limb + 1)), ...vector.zero, ...vector.shuffle(REVERSED)],
    ...vector.store(MEMORY_AT + (limb === 0 ? 16 : 0)),
  ]),
  ...move(-2),
];

const mstore8 = (exit: number): number[] => [
  ...placeInMemory(exit),
  ...[...get(PLACE), ...load(2, 0), I64_STORE_BYTE, 0, ...unsigned(MEMORY_AT)],
  ...move(-2),
];

/** Goes where the top word says, if that is a target. */
const jumpTo = (exit: number): number[] => [
  ...exitFrom(a, LENGTH, exit),
  ...[...get(ROOM), ...get(a(0)), TO_I32, I32_ADD, LOCAL_TEE, PLACE],
  ...[I32_LOAD_BYTE, 0, ...unsigned(TARGETS_AT), I32_IS_ZERO, ...exitIf(exit)],
  ...[...get(PLACE), ...set(PC)],
];

const jump = (exit: number): number[] => [
  ...LIMBS.flatMap((limb) => [...load(1, limb), ...set(a(limb))]),
  ...jumpTo(exit),
  ...move(-1),
];

const jumpi = (exit: number): number[] => [
  ...operands(),
  ...[...get(b(0)), ...limbsAbove(b), I64_OR, I64_IS_ZERO, IF, NO_RESULT],
  ...[...get(PC), ...small(1), I32_ADD, ...set(PC), ELSE, ...jumpTo(exit + 1), END],
  ...move(-2),
];

const headerNumber = (place: number): number[] => [
  ...[...get(ROOM), I32_LOAD, 2, ...unsigned(HEADER_AT + 4 * place), TO_I64],
];

const pc = (): number[] => [...storeSmall(0, [...get(PC), ...get(ROOM), 0x6b, TO_I64]), ...move(1)];

const push0 = (): number[] => [
  ...vector.toStack(0, false, vector.zero),
  ...vector.toStack(0, true, vector.zero),
  ...move(1),
];

function push(size: number): Fast {
  const half = (isUpper: boolean): readonly number[] => {
    // Bytes of this half, which lie before those of the lower one.
    const bytes = isUpper ? size - 16 : Math.min(size, 16);
    if (bytes <= 0) return vector.zero;
    const from = isUpper ? 0 : size - bytes;
    return [
      ...[...get(PC), ...vector.load(CODE_AT + 1 + from), ...vector.zero],
      ...vector.shuffle(Array.from({ length: 16 }, (_, index) => (index < bytes ? bytes - 1 - index : 16))),
    ];
  };
  const body = [...vector.toStack(0, false, half(false)), ...vector.toStack(0, true, half(true)), ...move(1)];
  return { opcode: 0x5f + size, body: () => body, bytes: 1 + size };
}

const dup = (place: number): number[] => [...LIMBS.flatMap((limb) => store(0, limb, load(place, limb))), ...move(1)];

const swap = (place: number): number[] =>
  LIMBS.flatMap((limb) => [
    ...[...load(1, limb), ...set(SUM)],
    ...store(1, limb, load(place, limb)),
    ...store(place, limb, get(SUM)),
  ]);

const own = (place: number): number[] => [
  ...LIMBS.flatMap((limb) => store(0, limb, [...get(ROOM), 0x29, 3, ...unsigned(OWN_AT + 32 * place + 8 * limb)])),
  ...move(1),
];

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

export const FAST: readonly Fast[] = [
  simple(0x01, add()),
  simple(0x02, multiply()),
  simple(0x03, subtract()),
  divide(0x04, I64_DIVIDE),
  divide(0x06, I64_REMAINDER),
  simple(0x10, compare(a, b, false)),
  simple(0x11, compare(b, a, false)),
  simple(0x12, compare(a, b, true)),
  simple(0x13, compare(b, a, true)),
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
  simple(0x30, own(0)),
  simple(0x33, own(1)),
  simple(0x34, own(2)),
  simple(0x36, [...storeSmall(0, headerNumber(HEADER.inputLength)), ...move(1)]),
  simple(0x50, move(-1)),
  { opcode: 0x51, body: mload, bytes: 1 },
  { opcode: 0x52, body: mstore, bytes: 1 },
  { opcode: 0x53, body: mstore8, bytes: 1 },
  { opcode: 0x56, body: jump, bytes: 0 },
  { opcode: 0x57, body: jumpi, bytes: 0 },
  simple(0x58, pc()),
  simple(0x5b, []),
  simple(0x5f, push0()),
  ...upTo(32).map(push),
  ...upTo(16).map((place) => simple(0x7f + place, dup(place))),
  ...upTo(16).map((place) => simple(0x8f + place, swap(place + 1))),
];
