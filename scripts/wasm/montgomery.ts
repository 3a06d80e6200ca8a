import { INVERSE, MODULUS, STEPS } from '../../packages/evm-machine/src/precompiles/montgomery-layout.ts';
import { CURRENT, STORE } from '../../packages/evm-machine/src/precompiles/residues.ts';
import { locals, wasmModule, wat } from './text.ts';

/*
 * Products modulo odd numbers, in WebAssembly modules: one for each length of the number in words of 64 bits. A number x is
 * there as x * R modulo m, with R = 2 to the power of that length (P. Montgomery, Modular multiplication without trial
 * division, 1985). Products of 32 by 32 bits are what there is an instruction for, so limbs have 32.
 */

const LIMBS_IN_WORD = 2;
const LIMB_BITS = 32;
const LIMB_BYTES = 4;

/** @param words Length of the number. */
export function montgomeryModule(words: number): Uint8Array {
  const limbs = Array.from({ length: words * LIMBS_IN_WORD }, (_, limb) => limb);
  return wasmModule('run', 1, [runOn(limbs)]);
}

/** The function for numbers of these limbs, which have locals `$current0`, `$current1` and so on. */
function runOn(limbs: readonly number[]): string {
  const placeBytes = limbs.length * LIMB_BYTES;
  const load = (local: string, at: number) => `(local.set $${local} (i64.load32_u offset=${at} (i32.const 0)))`;
  const loadAll = (local: string, place: number) =>
    limbs.map((limb) => load(`${local}${limb}`, place * placeBytes + limb * LIMB_BYTES));
  const storeAt = (address: string) =>
    limbs.map((limb) => `(i64.store32 offset=${limb * LIMB_BYTES} ${address} (local.get $current${limb}))`);
  const numbers = ['current', 'modulus', 'sum'].flatMap((name) => limbs.map((limb) => `${name}${limb}`));
  return wat`(func $run (param $count i32)
    ${locals('i64', [...numbers, 'top', 'inverse', 'mask', 'factor', 'carry', 'part'])}
    ${locals('i32', ['at', 'step', 'place'])}
    ${loadAll('current', CURRENT)}
    ${loadAll('modulus', MODULUS)}
    ${load('inverse', INVERSE * placeBytes)}
    (local.set $mask ${upperHalf('(i64.const -1)')})
    (block $done
      (br_if $done (i32.eqz (local.get $count)))
      (loop $next
        (local.set $place (i32.mul
          (i32.and (local.tee $step (i32.load8_u offset=${STEPS} (local.get $at))) (i32.const ${STORE - 1}))
          (i32.const ${placeBytes})))
        (if (i32.and (local.get $step) (i32.const ${STORE}))
          (then
            ${storeAt('(local.get $place)')})
          (else
            ${product(limbs)}
            ;; The next step may multiply by this place.
            ${storeAt(`(i32.const ${CURRENT * placeBytes})`)}))
        (br_if $next
          (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (local.get $count))))))`;
}

const upperHalf = (value: string): string => `(i64.shr_u ${value} (i64.const ${LIMB_BITS}))`;
const lowerHalf = (value: string): string => `(i64.and ${value} (local.get $mask))`;
const plus = (value: string, local: string): string => `(i64.add ${value} (local.get $${local}))`;

/** Sets a limb to the lower half of a value; the upper one is carried. */
const keepIn = (limb: string, value: string): string => wat`
  (local.set $${limb} ${lowerHalf(`(local.tee $part ${value})`)})
  (local.set $carry ${upperHalf('(local.get $part)')})`;

/**
 * The current number times that of a place, limb by limb of the latter. After each, as much of the modulus is added as
 * makes the lowest limb 0, and that one goes.
 */
function product(limbs: readonly number[]): string {
  const highest = `sum${limbs.length - 1}`;
  return wat`
    ${limbs.map((limb) => `(local.set $sum${limb} (i64.const 0))`)}
    (local.set $top (i64.const 0))
    ${limbs.map(
      (limb) => wat`
        (local.set $factor (i64.load32_u offset=${limb * LIMB_BYTES} (local.get $place)))
        (local.set $carry (i64.const 0))
        ${limbs.map((index) => keepIn(`sum${index}`, addProduct('current', index)))}
        (local.set $top ${plus('(local.get $top)', 'carry')})
        (local.set $factor ${lowerHalf('(i64.mul (local.get $sum0) (local.get $inverse))')})
        (local.set $carry (i64.const 0))
        ${limbs.map(reduce)}
        ${keepIn(highest, plus('(local.get $top)', 'carry'))}
        (local.set $top (local.get $carry))`,
    )}
    ;; R or more is less by the modulus then; the top is 1 for that or 0, and its negative a mask.
    (local.set $factor (i64.sub (i64.const 0) (local.get $top)))
    (local.set $carry (i64.const 0))
    ${limbs.map(subtract)}`;
}

/** A limb of the sum, and that limb of a number times the factor, and the carry. */
function addProduct(number: 'current' | 'modulus', limb: number): string {
  return plus(plus(`(i64.mul (local.get $${number}${limb}) (local.get $factor))`, `sum${limb}`), 'carry');
}

/** Each limb moves down by one; of the lowest, 0 is left. */
function reduce(limb: number): string {
  const value = addProduct('modulus', limb);
  return limb === 0 ? `(local.set $carry ${upperHalf(value)})` : keepIn(`sum${limb - 1}`, value);
}

/** Sets a limb to that of the sum, less by that of the modulus if the factor is a mask of ones. */
function subtract(limb: number): string {
  const modulus = `(i64.and (local.get $modulus${limb}) (local.get $factor))`;
  const difference = plus(`(i64.sub (local.get $sum${limb}) ${modulus})`, 'carry');
  return wat`
    (local.set $current${limb} ${lowerHalf(`(local.tee $part ${difference})`)})
    (local.set $carry (i64.shr_s (local.get $part) (i64.const ${LIMB_BITS})))`;
}
