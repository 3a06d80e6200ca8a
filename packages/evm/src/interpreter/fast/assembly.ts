import { get, I32_ADD, I32_CONST, I64_CONST, set, signed, unsigned } from '@switchyard/protocol/wasm';

/*
 * Names of places and short forms for the module of module.ts. A room is the part of its memory that one frame has.
 */

/** Parts of a room, in bytes from its beginning. Words of the stack are named by their distance below its top. */
export const STACK_AT = 544;
export const OWN_AT = STACK_AT + 32_768;
export const HEADER_AT = OWN_AT + 96;
export const MEMORY_AT = 65_536;
export const CODE_AT = 2 * 65_536;
export const TARGETS_AT = 3 * 65_536;
export const ROOM_BYTES = 4 * 65_536;
export const PART_BYTES = 65_536;

/** Numbers in the header of a room, each of 32 bits. */
export const HEADER = { pc: 0, depth: 1, gas: 2, reach: 3, length: 4, inputLength: 5 };

/** Locals. The first is where the room begins. */
export const ROOM = 0;
/** Room and place in the code. */
export const PC = 1;
/** Bytes on the stack. */
export const DEPTH = 2;
/** Room and bytes on the stack. */
export const TOP = 3;
export const GAS = 4;
/** Offsets below this are those at which a word can be read from memory. */
export const REACH = 5;
/** Jumps go to targets below this. */
export const LENGTH = 6;
export const PLACE = 7;
const I32_LOCALS = 7;
const FIRST_I64 = 8;
/** Limbs of 64 bits of the top of the stack and of the word below, lowest first. */
export const a = (limb: number): number => FIRST_I64 + limb;
export const b = (limb: number): number => FIRST_I64 + 4 + limb;
export const CARRY = FIRST_I64 + 8;
export const SUM = FIRST_I64 + 9;
/** Limbs of 32 bits. */
export const half = (limb: number): number => FIRST_I64 + 10 + limb;
export const result = (limb: number): number => FIRST_I64 + 18 + limb;
export const LOCALS: readonly (readonly [number, number])[] = [
  [I32_LOCALS, 0x7f],
  [26, 0x7e],
];

export const LIMBS = [0, 1, 2, 3] as const;

const I64_LOAD = 0x29;
const I64_STORE = 0x37;
const SIMD = 0xfd;

/** Offset of a word of the stack, 1 for its top and 0 for the free place above, from where `TOP` points. */
const offsetOf = (word: number, limb = 0): number => STACK_AT - 32 * word + 8 * limb;

export const load = (word: number, limb: number): number[] => [
  ...get(TOP),
  ...[I64_LOAD, 3, ...unsigned(offsetOf(word, limb))],
];

export const store = (word: number, limb: number, value: readonly number[]): number[] => [
  ...get(TOP),
  ...value,
  ...[I64_STORE, 3, ...unsigned(offsetOf(word, limb))],
];

export const small = (value: number): number[] => [I32_CONST, ...signed(value)];
export const wide = (value: number): number[] => [I64_CONST, ...signed(value)];

/** Loads both operands. */
export const operands = (): number[] => LIMBS.flatMap((limb) => [...load(1, limb), ...set(a(limb))]).concat(second());
const second = (): number[] => LIMBS.flatMap((limb) => [...load(2, limb), ...set(b(limb))]);

/** Stores a number of 64 bits as a word. */
export const storeSmall = (word: number, value: readonly number[]): number[] => [
  ...store(word, 0, value),
  ...[1, 2, 3].flatMap((limb) => store(word, limb, wide(0))),
];

/** Changes by how many words there are on the stack. */
export const move = (words: number): number[] =>
  words === 0 ? [] : [...get(DEPTH), ...small(32 * words), I32_ADD, ...set(DEPTH)];

/** Whether what the limbs from `first` on of the word say is not 0. */
export const limbsAbove = (limb: (limb: number) => number): number[] => [
  ...get(limb(1)),
  ...get(limb(2)),
  0x84,
  ...get(limb(3)),
  0x84,
];

export const vector = {
  load: (offset: number): number[] => [SIMD, 0x00, 0, ...unsigned(offset)],
  store: (offset: number): number[] => [SIMD, 0x0b, 0, ...unsigned(offset)],
  /** Sixteen bytes, each one of the 32 of two vectors. */
  shuffle: (bytes: readonly number[]): number[] => [SIMD, 0x0d, ...bytes],
  zero: [SIMD, 0x0c, ...new Array<number>(16).fill(0)] as readonly number[],
  /** A vector of two numbers of 64 bits. */
  pair: (low: readonly number[], high: readonly number[]): number[] => [...low, SIMD, 0x12, ...high, SIMD, 0x1e, 1],
  /** Stores a vector as the lower or the upper half of a word. */
  toStack: (word: number, isUpper: boolean, value: readonly number[]): number[] => [
    ...get(TOP),
    ...value,
    ...vector.store(offsetOf(word, isUpper ? 2 : 0)),
  ],
};

/** The sixteen bytes of a vector, the other way round. */
export const REVERSED = Array.from({ length: 16 }, (_, index) => 15 - index);
