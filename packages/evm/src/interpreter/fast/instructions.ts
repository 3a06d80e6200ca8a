import {
  ELSE,
  END,
  get,
  I32_ADD,
  I32_FROM_I64,
  I32_IS_ZERO,
  I32_LOAD,
  I32_LOAD_BYTE,
  I32_OR,
  I32_SUBTRACT,
  I64_FROM_I32,
  I64_IS_ZERO,
  I64_LOAD,
  I64_NOT_LESS,
  I64_OR,
  I64_STORE_BYTE,
  IF,
  LOCAL_TEE,
  NO_RESULT,
  set,
  unsigned,
} from '@switchyard/protocol/wasm';
import {
  a,
  b,
  CODE_AT,
  exitIf,
  type Fast,
  HEADER,
  HEADER_AT,
  LENGTH,
  LIMBS,
  load,
  MEMORY_AT,
  move,
  OWN_AT,
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
  TARGETS_AT,
  upperLimbs,
  vector,
} from './assembly.ts';
import { ON_WORDS } from './words.ts';

/** Leaves where the word in `a` is not below the number in a local. */
const exitFrom = (local: number, exit: number): number[] => [
  ...[...upperLimbs(a), I64_IS_ZERO, I32_IS_ZERO, ...get(a(0)), ...get(local), I64_FROM_I32, I64_NOT_LESS, I32_OR],
  ...exitIf(exit),
];

/** Sets `PLACE` to where the word in `a` leads from the beginning of the room. */
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

/** @param size Bytes of the operand. Of those that are loaded with them, none gets on the stack. */
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
];
