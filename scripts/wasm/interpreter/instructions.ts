import {
  CODE_AT,
  HEADER,
  HEADER_AT,
  MEMORY_AT,
  OWN_AT,
  TARGETS_AT,
} from '../../../packages/evm-machine/src/interpreter/fast/layout.ts';
import { BLOCK, HASH, INPUT } from '../../../packages/protocol/src/ethereum/keccak-layout.ts';
import {
  CALL,
  ELSE,
  END,
  get,
  I32_ADD,
  I32_FROM_I64,
  I32_IS_ZERO,
  I32_LESS_SIGNED,
  I32_LOAD,
  I32_LOAD_BYTE,
  I32_MULTIPLY,
  I32_OR,
  I32_SHIFT_RIGHT,
  I32_SUBTRACT,
  I64_ADD,
  I64_FROM_I32,
  I64_GREATER,
  I64_IS_ZERO,
  I64_LOAD,
  I64_LOAD_BYTE,
  I64_NOT_LESS,
  I64_OR,
  I64_STORE_BYTE,
  IF,
  LOCAL_TEE,
  MEMORY_COPY,
  MEMORY_FILL,
  NO_RESULT,
  set,
  unsigned,
} from '../module.ts';
import {
  a,
  b,
  exitIf,
  type Fast,
  GAS,
  INPUT_LENGTH,
  LENGTH,
  LIMBS,
  load,
  move,
  operand,
  operands,
  PC,
  PLACE,
  REACH,
  ROOM,
  SUM,
  simple,
  small,
  store,
  storeSmall,
  upperLimbs,
  vector,
  wide,
} from './assembly.ts';
import { ON_DEEP_STACK } from './deep-stack.ts';
import { ON_WORDS } from './words.ts';

/** Leaves if the word in `a` is not below the number in a local. */
const exitFrom = (local: number, exit: number): number[] => [
  ...[...upperLimbs(a), I64_IS_ZERO, I32_IS_ZERO, ...get(a(0)), ...get(local), I64_FROM_I32, I64_NOT_LESS, I32_OR],
  ...exitIf(exit),
];

/** Sets `PLACE` to the target of the word in `a` from the beginning of the room. */
const findPlace = [...get(ROOM), ...get(a(0)), I32_FROM_I64, I32_ADD, LOCAL_TEE, PLACE];

/** For an instruction on memory, whose offset is the top word. */
const onMemory = (opcode: number, body: readonly number[]): Fast => ({
  opcode,
  body: (exit) => [...operand(1, a), ...exitFrom(REACH, exit), ...findPlace, ...set(PLACE), ...body],
  bytes: 1,
});

/** Sixteen bytes of memory from such a place on, as a half of a word. */
const halfOfMemory = (from: number): number[] => vector.reversed([...get(PLACE), ...vector.load(MEMORY_AT + from)]);

const mload = [...vector.store(1, 0, halfOfMemory(16)), ...vector.store(1, 2, halfOfMemory(0))];

const mstore = [
  ...[...get(PLACE), ...vector.reversed(vector.pair(load(2, 0), load(2, 1))), ...vector.storeAt(MEMORY_AT + 16)],
  ...[...get(PLACE), ...vector.reversed(vector.pair(load(2, 2), load(2, 3))), ...vector.storeAt(MEMORY_AT)],
  ...move(-2),
];

const mstore8 = [...get(PLACE), ...load(2, 0), I64_STORE_BYTE, 0, ...unsigned(MEMORY_AT), ...move(-2)];

/** Index of the hash function in the module. */
const HASH_FUNCTION = 1;
const KECCAK_GAS = 30;
const KECCAK_WORD_GAS = 6;
/** Longer input is left to the interpreter: it has more than one block. */
const MOST_INPUT = BLOCK - 1;

const keccak: Fast = {
  opcode: 0x20,
  body: (exit) => [
    ...[...operands(), ...exitFrom(REACH, exit)],
    ...[...upperLimbs(b), I64_IS_ZERO, I32_IS_ZERO, ...get(b(0)), ...wide(MOST_INPUT), I64_GREATER, I32_OR],
    // Memory ends 31 bytes after the last place of a word.
    ...[...get(a(0)), ...get(b(0)), I64_ADD, ...get(REACH), ...small(31), I32_ADD, I64_FROM_I32, I64_GREATER, I32_OR],
    ...exitIf(exit),
    ...[...get(b(0)), I32_FROM_I64, ...set(INPUT_LENGTH)],
    ...[
      ...get(GAS),
      ...get(INPUT_LENGTH),
      ...small(31),
      I32_ADD,
      ...small(5),
      I32_SHIFT_RIGHT,
      ...small(KECCAK_WORD_GAS),
    ],
    ...[I32_MULTIPLY, I32_SUBTRACT, LOCAL_TEE, PLACE, ...small(KECCAK_GAS), I32_LESS_SIGNED, ...exitIf(exit)],
    ...[...get(PLACE), ...set(GAS)],
    ...[...small(INPUT), ...findPlace, ...small(MEMORY_AT), I32_ADD, ...get(INPUT_LENGTH), ...MEMORY_COPY],
    ...[
      ...get(INPUT_LENGTH),
      ...small(INPUT),
      I32_ADD,
      LOCAL_TEE,
      PLACE,
      ...small(0),
      ...small(BLOCK),
      ...get(INPUT_LENGTH),
    ],
    ...[I32_SUBTRACT, ...MEMORY_FILL, ...get(PLACE), ...wide(0x01), I64_STORE_BYTE, 0, 0],
    ...[...small(INPUT + BLOCK - 1), ...small(INPUT + BLOCK - 1), I64_LOAD_BYTE, 0, 0, ...wide(0x80), I64_OR],
    ...[I64_STORE_BYTE, 0, 0, ...small(INPUT + BLOCK), CALL, HASH_FUNCTION],
    ...vector.store(2, 0, vector.reversed([...small(0), ...vector.load(HASH + 16)])),
    ...vector.store(2, 2, vector.reversed([...small(0), ...vector.load(HASH)])),
    ...move(-1),
  ],
  bytes: 1,
};

/** Jumps to the place in `a`, if that is a target. */
const jumpTo = (exit: number): number[] => [
  ...[...exitFrom(LENGTH, exit), ...findPlace],
  ...[I32_LOAD_BYTE, 0, ...unsigned(TARGETS_AT), I32_IS_ZERO, ...exitIf(exit)],
  ...[...get(PLACE), ...set(PC)],
];

const jump: Fast = {
  opcode: 0x56,
  body: (exit) => [...operand(1, a), ...jumpTo(exit), ...move(-1)],
  bytes: 0,
};

const jumpi: Fast = {
  opcode: 0x57,
  body: (exit) => [
    ...[...operands(), ...get(b(0)), ...upperLimbs(b), I64_OR, I64_IS_ZERO, IF, NO_RESULT],
    ...[...get(PC), ...small(1), I32_ADD, ...set(PC), ELSE, ...jumpTo(exit + 1), END],
    ...move(-2),
  ],
  bytes: 0,
};

/** Pushes a number of 32 bits. */
const number = (value: readonly number[]): number[] => [...storeSmall(0, [...value, I64_FROM_I32]), ...move(1)];

const calldatasize = number([...get(ROOM), I32_LOAD, 2, ...unsigned(HEADER_AT + 4 * HEADER.inputLength)]);

/** Pushes one of the words that a frame has of its own. */
const own = (place: number): number[] => [
  ...LIMBS.flatMap((limb) => store(0, limb, [...get(ROOM), I64_LOAD, 3, ...unsigned(OWN_AT + 32 * place + 8 * limb)])),
  ...move(1),
];

/** @param size Bytes of the operand. Bytes loaded beyond them do not get on the stack. */
function push(size: number): Fast {
  const ofCode = (from: number, bytes: number) =>
    bytes <= 0 ? vector.zero : vector.reversed([...get(PC), ...vector.load(CODE_AT + 1 + from)], bytes);
  const lower = Math.min(size, 16);
  const body = [...vector.store(0, 0, ofCode(size - lower, lower)), ...vector.store(0, 2, ofCode(0, size - lower))];
  return { opcode: 0x5f + size, body: () => [...body, ...move(1)], bytes: 1 + size };
}

const dup = (place: number): number[] => [...LIMBS.flatMap((limb) => store(0, limb, load(place, limb))), ...move(1)];

const swap = (place: number): number[] =>
  LIMBS.flatMap((limb) => [
    ...[...load(1, limb), ...set(SUM)],
    ...[...store(1, limb, load(1 + place, limb)), ...store(1 + place, limb, get(SUM))],
  ]);

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

export const FAST: readonly Fast[] = [
  ...ON_WORDS,
  keccak,
  simple(0x30, own(0)),
  simple(0x33, own(1)),
  simple(0x34, own(2)),
  simple(0x36, calldatasize),
  simple(0x50, move(-1)),
  onMemory(0x51, mload),
  onMemory(0x52, mstore),
  onMemory(0x53, mstore8),
  jump,
  jumpi,
  simple(0x58, number([...get(PC), ...get(ROOM), I32_SUBTRACT])),
  simple(0x5b, []),
  { ...push(0), bytes: 1 },
  ...upTo(32).map(push),
  ...upTo(16).map((place) => simple(0x7f + place, dup(place))),
  ...upTo(16).map((place) => simple(0x8f + place, swap(place))),
  ...ON_DEEP_STACK,
];
