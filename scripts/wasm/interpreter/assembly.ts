import { STACK_AT } from '../../../packages/evm-machine/src/interpreter/fast/layout.ts';
import { wat } from '../text.ts';

/* Locals and short forms for the module of module.ts. */

export const LIMBS = [0, 1, 2, 3] as const;

/** Halves of limbs. */
export const HALVES = [0, 1, 2, 3, 4, 5, 6, 7] as const;

/** The parameter, `$room`, is the beginning of the room. */
export const LOCALS = wat`
  ;; Room and place in the code.
  (local $pc i32)
  ;; Bytes on the stack.
  (local $depth i32)
  ;; Room and bytes on the stack.
  (local $top i32)
  (local $gas i32)
  ;; A word can be read from memory at offsets below this.
  (local $reach i32)
  ;; Jumps go to targets below this.
  (local $length i32)
  (local $place i32)
  ;; Bytes to hash; or a second place.
  (local $inputLength i32)
  ;; Limbs of 64 bits of two words, lowest first; mostly of the top of the stack and of the word below.
  ${LIMBS.map((limb) => `(local $a${limb} i64)`)}
  ${LIMBS.map((limb) => `(local $b${limb} i64)`)}
  (local $carry i64)
  (local $sum i64)
  ;; Numbers of 32 bits.
  ${HALVES.map((half) => `(local $half${half} i64)`)}
  ${HALVES.map((half) => `(local $product${half} i64)`)}`;

/** Performs an instruction if nothing special happens. Otherwise it branches to $exit before it changes anything. */
export interface Fast {
  readonly opcode: number;
  readonly body: string;
  /** Bytes to the next instruction; 0 if the body has set the place itself. */
  readonly bytes: number;
}

/** An instruction without an operand in the code. */
export const simple = (opcode: number, body: string): Fast => ({ opcode, body, bytes: 1 });

/** Offset from `$top`. Words of the stack are counted from its top, which is 1; 0 is the free place above. */
const toOffset = (word: number, limb: number): number => STACK_AT - 32 * word + 8 * limb;

export const load = (word: number, limb: number): string =>
  `(i64.load offset=${toOffset(word, limb)} (local.get $top))`;

export const store = (word: number, limb: number, value: string): string =>
  `(i64.store offset=${toOffset(word, limb)} (local.get $top) ${value})`;

/** Loads a word into the locals of its limbs. */
export const operand = (word: number, name: 'a' | 'b'): string =>
  wat`${LIMBS.map((limb) => `(local.set $${name}${limb} ${load(word, limb)})`)}`;

export const OPERANDS = wat`
  ${operand(1, 'a')}
  ${operand(2, 'b')}`;

/** Stores a number of 64 bits as a word. */
export const storeSmall = (word: number, value: string): string => wat`
  ${store(word, 0, value)}
  ${[1, 2, 3].map((limb) => store(word, limb, '(i64.const 0)'))}`;

/** Changes by how many words there are on the stack. */
export const move = (words: number): string =>
  `(local.set $depth (i32.add (local.get $depth) (i32.const ${32 * words})))`;

/** Not 0 if the word has more than 64 bits. */
export const upperLimbs = (name: 'a' | 'b'): string =>
  `(i64.or (i64.or (local.get $${name}1) (local.get $${name}2)) (local.get $${name}3))`;

/*
 * Vectors of sixteen bytes. They are stored to the stack but never loaded from it: a processor waits where it loads at once
 * bytes just stored in smaller pieces.
 */
export const vector = {
  zero: '(v128.const i64x2 0 0)',
  load: (offset: number, address: string): string => `(v128.load offset=${offset} align=1 ${address})`,
  storeAt: (offset: number, address: string, value: string): string =>
    `(v128.store offset=${offset} align=1 ${address} ${value})`,
  /** Stores it as two limbs of a word. */
  store: (word: number, limb: number, value: string): string =>
    vector.storeAt(toOffset(word, limb), '(local.get $top)', value),
  /** Made of two numbers of 64 bits. */
  pair: (low: string, high: string): string => `(i64x2.replace_lane 1 (i64x2.splat ${low}) ${high})`,
  /** This many of its bytes the other way round, then zeros, which are taken from another vector. */
  reversed(value: string, bytes = 16): string {
    const lanes = Array.from({ length: 16 }, (_, index) => (index < bytes ? bytes - 1 - index : 16));
    return `(i8x16.shuffle ${lanes.join(' ')} ${value} ${vector.zero})`;
  },
};
