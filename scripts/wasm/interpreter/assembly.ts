import { STACK_AT } from '../../../packages/evm-machine/src/interpreter/fast/layout.ts';
import {
  BRANCH_IF,
  get,
  I32,
  I32_ADD,
  I32_CONST,
  I64,
  I64_CONST,
  I64_LOAD,
  I64_OR,
  I64_STORE,
  set,
  signed,
  unsigned,
  VECTOR,
} from '../module.ts';

/* Names of locals and short forms for the module of module.ts. */

/** Locals. The first, the parameter, is the beginning of the room. */
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
/** Bytes to hash; or a second place. */
export const INPUT_LENGTH = 8;
/** Limbs of 64 bits of two words, lowest first; mostly of the top of the stack and of the word below. */
export const a = (limb: number): number => 9 + limb;
export const b = (limb: number): number => 13 + limb;
export const CARRY = 17;
export const SUM = 18;
/** Numbers of 32 bits. */
export const half = (index: number): number => 19 + index;
export const product = (index: number): number => 27 + index;
export const LOCALS = [[8, I32] as const, [26, I64] as const];

/**
 * Performs an instruction if nothing special happens.
 *
 * @param exit Label to branch to, before anything is changed, if something does.
 */
export interface Fast {
  readonly opcode: number;
  readonly body: (exit: number) => readonly number[];
  /** Bytes to the next instruction; 0 if the body has set the place itself. */
  readonly bytes: number;
}

/** An instruction that always does the same. */
export const simple = (opcode: number, body: readonly number[]): Fast => ({ opcode, body: () => body, bytes: 1 });

export const exitIf = (label: number): number[] => [BRANCH_IF, ...unsigned(label)];

export const LIMBS = [0, 1, 2, 3] as const;

/** Offset from `TOP`. Words of the stack are counted from its top, which is 1; 0 is the free place above. */
const toOffset = (word: number, limb: number): number => STACK_AT - 32 * word + 8 * limb;

export const load = (word: number, limb: number): number[] => [
  ...get(TOP),
  ...[I64_LOAD, 3, ...unsigned(toOffset(word, limb))],
];

export const store = (word: number, limb: number, value: readonly number[]): number[] => [
  ...[...get(TOP), ...value, I64_STORE, 3, ...unsigned(toOffset(word, limb))],
];

export const small = (value: number): number[] => [I32_CONST, ...signed(value)];
export const wide = (value: number): number[] => [I64_CONST, ...signed(value)];

/** Loads a word into locals. */
export const operand = (word: number, to: (limb: number) => number): number[] =>
  LIMBS.flatMap((limb) => [...load(word, limb), ...set(to(limb))]);

export const operands = (): number[] => [...operand(1, a), ...operand(2, b)];

/** Stores a number of 64 bits as a word. */
export const storeSmall = (word: number, value: readonly number[]): number[] => [
  ...store(word, 0, value),
  ...[1, 2, 3].flatMap((limb) => store(word, limb, wide(0))),
];

/** Changes by how many words there are on the stack. */
export const move = (words: number): number[] => [...get(DEPTH), ...small(32 * words), I32_ADD, ...set(DEPTH)];

/** Not 0 if the word has more than 64 bits. */
export const upperLimbs = (item: (limb: number) => number): number[] => [
  ...[...get(item(1)), ...get(item(2)), I64_OR, ...get(item(3)), I64_OR],
];

const ZERO = [VECTOR, 0x0c, ...new Array<number>(16).fill(0)];

/*
 * Vectors of sixteen bytes. They are stored to the stack but never loaded from it: a processor waits where it loads at once
 * bytes just stored in smaller pieces.
 */
export const vector = {
  zero: ZERO as readonly number[],
  load: (offset: number): number[] => [VECTOR, 0x00, 0, ...unsigned(offset)],
  storeAt: (offset: number): number[] => [VECTOR, 0x0b, 0, ...unsigned(offset)],
  /** Stores it as two limbs of a word. */
  store: (word: number, limb: number, value: readonly number[]): number[] => [
    ...[...get(TOP), ...value, ...vector.storeAt(toOffset(word, limb))],
  ],
  /** Made of two numbers of 64 bits. */
  pair: (low: readonly number[], high: readonly number[]): number[] => [...low, VECTOR, 0x12, ...high, VECTOR, 0x1e, 1],
  /** This many of its bytes the other way round, then zeros, which are taken from another vector. */
  reversed: (value: readonly number[], bytes = 16): number[] => [
    ...[...value, ...ZERO, VECTOR, 0x0d],
    ...Array.from({ length: 16 }, (_, index) => (index < bytes ? bytes - 1 - index : 16)),
  ],
};
