import { CODE_AT, STACK_AT } from '../../../packages/evm-machine/src/interpreter/fast/layout.ts';
import { wat } from '../text.ts';
import { type Fast, LIMBS, load, move, store } from './assembly.ts';

/* EIP-8024: instructions on words of the stack whose places the code gives, behind the instruction. */

const WORD_BYTES = 32;

/** Sets `$place` to the byte behind the instruction; leaves if it is one of `count` invalid ones. */
const immediate = (first: number, count: number): string => wat`
  (local.set $place (i32.load8_u offset=${CODE_AT + 1} (local.get $pc)))
  (br_if $exit (i32.lt_u (i32.sub (local.get $place) (i32.const ${first})) (i32.const ${count})))`;

/** Sets `$place` to how many bytes below the top the word is that the code names. */
const SINGLE = wat`
  ${immediate(91, 37)}
  (local.set $place (i32.mul
    (i32.and (i32.add (local.get $place) (i32.const 145)) (i32.const 255))
    (i32.const ${WORD_BYTES})))`;

type Position = 'place' | 'inputLength';

/** Leaves if the stack is not that deep. */
const expectDepth = (local: Position, words: number): string => wat`(br_if $exit
  (i32.lt_u (local.get $depth) (i32.add (local.get $${local}) (i32.const ${words * WORD_BYTES}))))`;

/** From bytes below the top to their position. */
const fromTop = (local: Position): string => `(local.set $${local} (i32.sub (local.get $top) (local.get $${local})))`;

const dupn: Fast = {
  opcode: 0xe6,
  body: wat`
    ${SINGLE}
    ${expectDepth('place', 0)}
    ${fromTop('place')}
    ${LIMBS.map((limb) => store(0, limb, `(i64.load offset=${STACK_AT + 8 * limb} (local.get $place))`))}
    ${move(1)}`,
  bytes: 2,
};

/* One word further down than the positions in the locals, which `$depth` has too. */
const loadBelow = (local: Position, limb: number): string =>
  `(i64.load offset=${STACK_AT - WORD_BYTES + 8 * limb} (local.get $${local}))`;
const storeBelow = (local: Position, limb: number, value: string): string =>
  `(i64.store offset=${STACK_AT - WORD_BYTES + 8 * limb} (local.get $${local}) ${value})`;

const swapn: Fast = {
  opcode: 0xe7,
  body: wat`
    ${SINGLE}
    ${expectDepth('place', 1)}
    ${fromTop('place')}
    ${LIMBS.map(
      (limb) => wat`
        (local.set $sum ${load(1, limb)})
        ${store(1, limb, loadBelow('place', limb))}
        ${storeBelow('place', limb, '(local.get $sum)')}`,
    )}`,
  bytes: 2,
};

/** Sets a local to the bytes of this many words. */
const setToBytes = (local: Position, words: string): string =>
  `(local.set $${local} (i32.mul (i32.wrap_i64 ${words}) (i32.const ${WORD_BYTES})))`;

const IS_UPPER = '(i64.lt_u (local.get $sum) (local.get $carry))';

const exchange: Fast = {
  opcode: 0xe8,
  body: wat`
    ${immediate(82, 46)}
    ;; Row and column of a square of sixteen, of which both triangles name pairs.
    (local.set $carry (i64.xor (i64.extend_i32_u (local.get $place)) (i64.const 143)))
    (local.set $sum (i64.shr_u (local.get $carry) (i64.const 4)))
    (local.set $carry (i64.and (local.get $carry) (i64.const 15)))
    ${setToBytes('place', `(i64.add (select (local.get $sum) (local.get $carry) ${IS_UPPER}) (i64.const 1))`)}
    ${setToBytes(
      'inputLength',
      wat`(select
        (i64.add (local.get $carry) (i64.const 1))
        (i64.sub (i64.const 29) (local.get $sum))
        ${IS_UPPER})`,
    )}
    ${expectDepth('inputLength', 1)}
    ${fromTop('place')}
    ${fromTop('inputLength')}
    ${LIMBS.map(
      (limb) => wat`
        (local.set $sum ${loadBelow('place', limb)})
        ${storeBelow('place', limb, loadBelow('inputLength', limb))}
        ${storeBelow('inputLength', limb, '(local.get $sum)')}`,
    )}`,
  bytes: 2,
};

export const ON_DEEP_STACK: readonly Fast[] = [dupn, swapn, exchange];
