import { STACK_AT } from '../../../packages/evm-machine/src/interpreter/fast/layout.ts';
import { wat } from '../text.ts';
import {
  type Fast,
  HALVES,
  LIMBS,
  load,
  move,
  OPERANDS,
  operand,
  simple,
  store,
  storeSmall,
  upperLimbs,
} from './assembly.ts';

/* Instructions on words that take them from the stack and give one. */

const add = wat`
  ${OPERANDS}
  ${LIMBS.map((limb) => {
    const isOver = `(i64.lt_u (local.get $sum) (local.get $a${limb}))`;
    const isOverWithCarry = `(i64.lt_u (local.get $b${limb}) (local.get $sum))`;
    return wat`
      (local.set $sum (i64.add (local.get $a${limb}) (local.get $b${limb})))
      (local.set $b${limb} ${limb === 0 ? '(local.get $sum)' : '(i64.add (local.get $sum) (local.get $carry))'})
      ${store(2, limb, `(local.get $b${limb})`)}
      ;; Either sum may have gone beyond 64 bits.
      ${carry(limb, isOver, isOverWithCarry)}`;
  })}
  ${move(-1)}`;

const subtract = wat`
  ${OPERANDS}
  ${LIMBS.map((limb) => {
    const isUnder = `(i64.lt_u (local.get $a${limb}) (local.get $b${limb}))`;
    const isUnderWithCarry = '(i64.lt_u (local.get $sum) (local.get $carry))';
    return wat`
      (local.set $sum (i64.sub (local.get $a${limb}) (local.get $b${limb})))
      ${store(2, limb, limb === 0 ? '(local.get $sum)' : '(i64.sub (local.get $sum) (local.get $carry))')}
      ${carry(limb, isUnder, isUnderWithCarry)}`;
  })}
  ${move(-1)}`;

/** Sets the carry to the next limb: there is none after the highest, and none before the lowest that could add to it. */
function carry(limb: number, own: string, withCarry: string): string {
  if (limb === 3) return '';
  return `(local.set $carry (i64.extend_i32_u ${limb === 0 ? own : `(i32.or ${own} ${withCarry})`}))`;
}

const lowHalf = (value: string): string => `(i64.and ${value} (i64.const 0xffffffff))`;
const highHalf = (value: string): string => `(i64.shr_u ${value} (i64.const 32))`;

/** One of the eight halves of limbs of a word. */
function half(name: 'a' | 'b', index: number): string {
  const limb = `(local.get $${name}${index >> 1})`;
  return index % 2 === 0 ? lowHalf(limb) : highHalf(limb);
}

/** Long multiplication by halves of limbs. Rows of halves that are 0 are left out, so the shorter number is the first. */
const multiply = wat`
  ${OPERANDS}
  (if (i64.eqz ${upperLimbs('b')})
    (then
      ${LIMBS.map(
        (limb) => wat`
          (local.set $sum (local.get $a${limb}))
          (local.set $a${limb} (local.get $b${limb}))
          (local.set $b${limb} (local.get $sum))`,
      )}))
  ${HALVES.map(
    (index) => wat`
      (local.set $half${index} ${half('b', index)})
      (local.set $product${index} (i64.const 0))`,
  )}
  ${HALVES.map(multiplyRow)}
  ${LIMBS.map((limb) =>
    store(
      2,
      limb,
      `(i64.or (i64.shl (local.get $product${2 * limb + 1}) (i64.const 32)) (local.get $product${2 * limb}))`,
    ),
  )}
  ${move(-1)}`;

/** Adds the product of a half of `a`, this many halves up, and `b`. A product and two numbers of 32 bits have 64 bits. */
function multiplyRow(row: number): string {
  return wat`
    (if (i32.eqz (i64.eqz (local.tee $sum ${half('a', row)})))
      (then
        (local.set $carry (i64.const 0))
        ${HALVES.slice(row).map(
          (place) => wat`
            (local.set $carry (i64.add
              (i64.add (i64.mul (local.get $sum) (local.get $half${place - row})) (local.get $product${place}))
              (local.get $carry)))
            (local.set $product${place} ${lowHalf('(local.get $carry)')})
            (local.set $carry ${highHalf('(local.get $carry)')})`,
        )}))`;
}

/** For numbers of 64 bits; others are left to long division. */
const divide = (operation: 'div_u' | 'rem_u'): string => wat`
  ${OPERANDS}
  (br_if $exit (i32.eqz (i64.eqz (i64.or ${upperLimbs('a')} ${upperLimbs('b')}))))
  (if (i64.eqz (local.get $b0))
    (then ${storeSmall(2, '(i64.const 0)')})
    (else ${storeSmall(2, `(i64.${operation} (local.get $a0) (local.get $b0))`)}))
  ${move(-1)}`;

/** The highest limbs decide; if they are equal, those below. */
function less(first: 'a' | 'b', second: 'a' | 'b', isSigned: boolean): string {
  const compare = (operation: string, limb: number) =>
    `(i64.${operation} (local.get $${first}${limb}) (local.get $${second}${limb}))`;
  const lessUpTo = (limb: number): string => {
    const own = compare(isSigned && limb === 3 ? 'lt_s' : 'lt_u', limb);
    return limb === 0 ? own : wat`(select ${lessUpTo(limb - 1)} ${own} ${compare('eq', limb)})`;
  };
  return wat`
    ${OPERANDS}
    ${storeSmall(2, `(i64.extend_i32_u ${lessUpTo(3)})`)}
    ${move(-1)}`;
}

/** Whether the values at all limbs are 0. */
function allZero(value: (limb: number) => string): string {
  const all = LIMBS.map(value).reduce((before, each) => `(i64.or ${before} ${each})`);
  return `(i64.extend_i32_u (i64.eqz ${all}))`;
}

const equal = wat`
  ${storeSmall(
    2,
    allZero((limb) => `(i64.xor ${load(1, limb)} ${load(2, limb)})`),
  )}
  ${move(-1)}`;

const isZero = storeSmall(
  1,
  allZero((limb) => load(1, limb)),
);

const bitwise = (operation: 'and' | 'or' | 'xor'): string => wat`
  ${LIMBS.map((limb) => store(2, limb, `(i64.${operation} ${load(1, limb)} ${load(2, limb)})`))}
  ${move(-1)}`;

const not = wat`${LIMBS.map((limb) => store(1, limb, `(i64.xor ${load(1, limb)} (i64.const -1))`))}`;

/** Whether the word in `a` is less than a bound of 64 bits. */
const isBelow = (bound: number): string =>
  `(i32.and (i64.eqz ${upperLimbs('a')}) (i64.lt_u (local.get $a0) (i64.const ${bound})))`;

/** Counted from the highest byte, which is the last one here. */
const byte = wat`
  ${operand(1, 'a')}
  (if ${isBelow(32)}
    (then ${storeSmall(
      2,
      wat`(i64.load8_u offset=${STACK_AT - 2 * 32}
        (i32.sub (i32.add (local.get $top) (i32.const 31)) (i32.wrap_i64 (local.get $a0))))`,
    )})
    (else ${storeSmall(2, '(i64.const 0)')}))
  ${move(-1)}`;

/** First by whole limbs, then by bits. */
function shift(isLeft: boolean, fill = '(i64.const 0)'): string {
  // Limbs in the order in which each takes what comes from those after it.
  const order = isLeft ? [3, 2, 1, 0] : [0, 1, 2, 3];
  const [along, against] = isLeft ? ['shl', 'shr_u'] : ['shr_u', 'shl'];
  const after = (place: number, count: number) =>
    `(local.get $${place + count < 4 ? `b${order[place + count]}` : 'carry'})`;
  const byLimbs = (count: number) => wat`
    (if (i32.eqz (i64.eqz (i64.and (local.get $a0) (i64.const ${64 * count}))))
      (then ${LIMBS.map((place) => `(local.set $b${order[place]} ${after(place, count)})`)}))`;
  return wat`
    ${OPERANDS}
    (local.set $carry ${fill})
    (if ${isBelow(256)}
      (then
        ${[byLimbs(2), byLimbs(1)]}
        ;; Shifts of limbs are by the lowest six bits of the operand.
        (local.set $sum (i64.sub (i64.const 63) (local.get $a0)))
        ;; In two steps where limbs meet, since a shift by 64 is one by 0.
        ${LIMBS.map((place) =>
          store(
            2,
            order[place] ?? 0,
            wat`(i64.or
              (i64.${along} ${after(place, 0)} (local.get $a0))
              (i64.${against} (i64.${against} ${after(place, 1)} (i64.const 1)) (local.get $sum)))`,
          ),
        )})
      (else ${LIMBS.map((place) => store(2, place, '(local.get $carry)'))}))
    ${move(-1)}`;
}

const SIGN = '(i64.shr_s (local.get $b3) (i64.const 63))';

export const ON_WORDS: readonly Fast[] = [
  simple(0x01, add),
  simple(0x02, multiply),
  simple(0x03, subtract),
  simple(0x04, divide('div_u')),
  simple(0x06, divide('rem_u')),
  simple(0x10, less('a', 'b', false)),
  simple(0x11, less('b', 'a', false)),
  simple(0x12, less('a', 'b', true)),
  simple(0x13, less('b', 'a', true)),
  simple(0x14, equal),
  simple(0x15, isZero),
  simple(0x16, bitwise('and')),
  simple(0x17, bitwise('or')),
  simple(0x18, bitwise('xor')),
  simple(0x19, not),
  simple(0x1a, byte),
  simple(0x1b, shift(true)),
  simple(0x1c, shift(false)),
  simple(0x1d, shift(false, SIGN)),
];
