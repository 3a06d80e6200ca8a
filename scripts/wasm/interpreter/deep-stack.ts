import { CODE_AT, STACK_AT } from '../../../packages/evm-machine/src/interpreter/fast/layout.ts';
import {
  get,
  I32_ADD,
  I32_AND,
  I32_FROM_I64,
  I32_LESS,
  I32_LOAD_BYTE,
  I32_MULTIPLY,
  I32_SUBTRACT,
  I64_ADD,
  I64_AND,
  I64_FROM_I32,
  I64_LESS,
  I64_LOAD,
  I64_SHIFT_RIGHT,
  I64_STORE,
  I64_SUBTRACT,
  I64_XOR,
  SELECT,
  set,
  unsigned,
} from '../module.ts';
import {
  CARRY,
  DEPTH,
  exitIf,
  type Fast,
  INPUT_LENGTH,
  LIMBS,
  load,
  move,
  PC,
  PLACE,
  SUM,
  small,
  store,
  TOP,
  wide,
} from './assembly.ts';

/* EIP-8024: instructions on words of the stack whose places the code gives, behind the instruction. */

const WORD_BYTES = 32;

/** Sets `PLACE` to the byte behind the instruction; leaves if it is one of `count` invalid ones. */
const immediate = (first: number, count: number, exit: number): number[] => [
  ...[...get(PC), I32_LOAD_BYTE, 0, ...unsigned(CODE_AT + 1), ...set(PLACE)],
  ...[...get(PLACE), ...small(first), I32_SUBTRACT, ...small(count), I32_LESS, ...exitIf(exit)],
];

/** Sets `PLACE` to how many bytes below the top the word is that the code names. */
const single = (exit: number): number[] => [
  ...immediate(91, 37, exit),
  ...[...get(PLACE), ...small(145), I32_ADD, ...small(255), I32_AND, ...small(WORD_BYTES), I32_MULTIPLY, ...set(PLACE)],
];

/** Leaves if the stack is not that deep. */
const expectDepth = (local: number, words: number, exit: number): number[] => [
  ...[...get(DEPTH), ...get(local), ...small(words * WORD_BYTES), I32_ADD, I32_LESS, ...exitIf(exit)],
];

/** From bytes below the top to their position. */
const fromTop = (local: number): number[] => [...get(TOP), ...get(local), I32_SUBTRACT, ...set(local)];

const dupn: Fast = {
  opcode: 0xe6,
  body: (exit) => [
    ...[...single(exit), ...expectDepth(PLACE, 0, exit), ...fromTop(PLACE)],
    ...LIMBS.flatMap((limb) => store(0, limb, [...get(PLACE), I64_LOAD, 3, ...unsigned(STACK_AT + 8 * limb)])),
    ...move(1),
  ],
  bytes: 2,
};

/** One word further down than the places in the locals, which `DEPTH` has too. */
const below = (limb: number): number[] => unsigned(STACK_AT - WORD_BYTES + 8 * limb);

const swapn: Fast = {
  opcode: 0xe7,
  body: (exit) => [
    ...[...single(exit), ...expectDepth(PLACE, 1, exit), ...fromTop(PLACE)],
    ...LIMBS.flatMap((limb) => [
      ...[...load(1, limb), ...set(SUM), ...store(1, limb, [...get(PLACE), I64_LOAD, 3, ...below(limb)])],
      ...[...get(PLACE), ...get(SUM), I64_STORE, 3, ...below(limb)],
    ]),
  ],
  bytes: 2,
};

/** Sets a local to bytes, of words whose number is on the stack. */
const bytesOfWords = (local: number): number[] => [I32_FROM_I64, ...small(WORD_BYTES), I32_MULTIPLY, ...set(local)];

const exchange: Fast = {
  opcode: 0xe8,
  body: (exit) => [
    ...immediate(82, 46, exit),
    // Row and column of a square of sixteen, of which both triangles name pairs.
    ...[...get(PLACE), I64_FROM_I32, ...wide(143), I64_XOR, ...set(CARRY)],
    ...[...get(CARRY), ...wide(4), I64_SHIFT_RIGHT, ...set(SUM), ...get(CARRY), ...wide(15), I64_AND, ...set(CARRY)],
    ...[...get(SUM), ...get(CARRY), ...get(SUM), ...get(CARRY), I64_LESS, SELECT, ...wide(1), I64_ADD],
    ...bytesOfWords(PLACE),
    ...[...get(CARRY), ...wide(1), I64_ADD, ...wide(29), ...get(SUM), I64_SUBTRACT],
    ...[...get(SUM), ...get(CARRY), I64_LESS, SELECT],
    ...bytesOfWords(INPUT_LENGTH),
    ...[...expectDepth(INPUT_LENGTH, 1, exit), ...fromTop(PLACE), ...fromTop(INPUT_LENGTH)],
    ...LIMBS.flatMap((limb) => [
      ...[...get(PLACE), I64_LOAD, 3, ...below(limb), ...set(SUM)],
      ...[...get(PLACE), ...get(INPUT_LENGTH), I64_LOAD, 3, ...below(limb), I64_STORE, 3, ...below(limb)],
      ...[...get(INPUT_LENGTH), ...get(SUM), I64_STORE, 3, ...below(limb)],
    ]),
  ],
  bytes: 2,
};

export const ON_DEEP_STACK: readonly Fast[] = [dupn, swapn, exchange];
