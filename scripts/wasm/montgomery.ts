import { INVERSE, MODULUS, STEPS } from '../../packages/evm-machine/src/precompiles/montgomery-layout.ts';
import { CURRENT, STORE } from '../../packages/evm-machine/src/precompiles/residues.ts';
import {
  BLOCK_BEGIN,
  BRANCH_IF,
  ELSE,
  END,
  get,
  I32,
  I32_ADD,
  I32_AND,
  I32_CONST,
  I32_IS_ZERO,
  I32_LESS,
  I32_LOAD_BYTE,
  I32_MULTIPLY,
  I64,
  I64_ADD,
  I64_AND,
  I64_CONST,
  I64_LOAD_HALF,
  I64_MULTIPLY,
  I64_SHIFT_RIGHT,
  I64_SHIFT_RIGHT_SIGNED,
  I64_STORE_HALF,
  I64_SUBTRACT,
  IF,
  LOCAL_TEE,
  LOOP,
  NO_RESULT,
  set,
  signed,
  unsigned,
  type WasmFunction,
  wasmModule,
} from './module.ts';

/*
 * Products modulo odd numbers, in WebAssembly modules: one for each length of the number in words of 64 bits. A number x is
 * there as x * R modulo m, with R = 2 to the power of that length (P. Montgomery, Modular multiplication without trial
 * division, 1985). Products of 32 by 32 bits are what there is an instruction for, so limbs have 32.
 */

const LIMBS_IN_WORD = 2;
const LIMB_BITS = 32;
const LIMB_BYTES = 4;

/** @param words Length of the number. */
export const montgomeryModule = (words: number): Uint8Array => wasmModule(runOn(words * LIMBS_IN_WORD), 1);

/** Numbers of locals. The parameter, how many steps, is 0. */
function localsFor(limbs: number) {
  const many = (from: number) => Array.from({ length: limbs }, (_, limb) => from + limb);
  const [current, modulus, sum] = [many(1), many(1 + limbs), many(1 + 2 * limbs)];
  const top = 1 + 3 * limbs;
  const numbers = { current, modulus, sum, top, inverse: top + 1, mask: top + 2, factor: top + 3, carry: top + 4 };
  return { ...numbers, part: top + 5, at: top + 6, step: top + 7, place: top + 8 };
}

type Locals = ReturnType<typeof localsFor>;

function runOn(limbs: number): WasmFunction {
  const locals = localsFor(limbs);
  const { current, modulus, inverse, mask, at, step, place } = locals;
  const count = 0;
  const placeBytes = limbs * LIMB_BYTES;
  const load = (to: number, from: number) => [I32_CONST, 0, I64_LOAD_HALF, 2, ...unsigned(from), ...set(to)];
  const storeAt = (address: readonly number[]) =>
    current.flatMap((local, limb) => [...address, ...get(local), I64_STORE_HALF, 2, ...unsigned(limb * LIMB_BYTES)]);
  const body = [
    ...current.flatMap((local, limb) => load(local, CURRENT * placeBytes + limb * LIMB_BYTES)),
    ...modulus.flatMap((local, limb) => load(local, MODULUS * placeBytes + limb * LIMB_BYTES)),
    ...[...load(inverse, INVERSE * placeBytes), I64_CONST, ...signed(-1), ...UPPER_HALF, ...set(mask)],
    ...[BLOCK_BEGIN, NO_RESULT, ...get(count), I32_IS_ZERO, BRANCH_IF, 0, LOOP, NO_RESULT],
    ...[...get(at), I32_LOAD_BYTE, 0, ...unsigned(STEPS), LOCAL_TEE, step],
    ...[I32_CONST, ...signed(STORE - 1), I32_AND, I32_CONST, placeBytes, I32_MULTIPLY, ...set(place)],
    ...[...get(step), I32_CONST, ...signed(STORE), I32_AND, IF, NO_RESULT],
    ...storeAt(get(place)),
    ELSE,
    ...product(locals),
    // The next step may multiply by this place.
    ...storeAt([I32_CONST, CURRENT * placeBytes]),
    END,
    ...[...get(at), I32_CONST, 1, I32_ADD, LOCAL_TEE, at, ...get(count), I32_LESS, BRANCH_IF, 0],
    ...[END, END, END],
  ];
  const types = [[at - 1, I64] as const, [place - at + 1, I32] as const];
  return { name: 'run', locals: types, body };
}

const UPPER_HALF = [I64_CONST, ...signed(LIMB_BITS), I64_SHIFT_RIGHT];

/**
 * The current number times that of a place, limb by limb of the latter. After each, as much of the modulus is added as
 * makes the lowest limb 0, and that one goes.
 */
function product({ current, modulus, sum, top, inverse, mask, factor, carry, part, place }: Locals): number[] {
  const lowerHalf = [...get(mask), I64_AND];
  const zero = (local: number) => [I64_CONST, 0, ...set(local)];
  const plus = (local: number) => [...get(local), I64_ADD];
  /** The lower half of the top of the stack, as a limb; the upper one is carried. */
  const keepIn = (limb: number) => [LOCAL_TEE, part, ...lowerHalf, ...set(limb), ...get(part), ...UPPER_HALF];
  const code = [...sum, top].flatMap(zero);
  const highest = sum.at(-1) ?? top;
  const lowest = sum[0] ?? top;
  for (const limb of sum.keys()) {
    code.push(...get(place), I64_LOAD_HALF, 2, ...unsigned(limb * LIMB_BYTES), ...set(factor), ...zero(carry));
    for (const [index, to] of sum.entries()) {
      code.push(...get(current[index] ?? 0), ...get(factor), I64_MULTIPLY, ...plus(to), ...plus(carry));
      code.push(...keepIn(to), ...set(carry));
    }
    code.push(...get(top), ...plus(carry), ...set(top));
    code.push(...get(lowest), ...get(inverse), I64_MULTIPLY, ...lowerHalf, ...set(factor), ...zero(carry));
    for (const [index, from] of sum.entries()) {
      code.push(...get(modulus[index] ?? 0), ...get(factor), I64_MULTIPLY, ...plus(from), ...plus(carry));
      // Each limb moves down by one; of the lowest, 0 is left.
      code.push(...(index === 0 ? UPPER_HALF : keepIn(sum[index - 1] ?? 0)), ...set(carry));
    }
    code.push(...get(top), ...plus(carry), ...keepIn(highest), ...set(top));
  }
  // R or more is less by the modulus then; the top is 1 for that or 0, and its negative a mask.
  code.push(I64_CONST, 0, ...get(top), I64_SUBTRACT, ...set(factor), ...zero(carry));
  for (const [index, from] of sum.entries()) {
    code.push(...get(from), ...get(modulus[index] ?? 0), ...get(factor), I64_AND, I64_SUBTRACT, ...plus(carry));
    code.push(LOCAL_TEE, part, ...lowerHalf, ...set(current[index] ?? 0));
    code.push(...get(part), I64_CONST, ...signed(LIMB_BITS), I64_SHIFT_RIGHT_SIGNED, ...set(carry));
  }
  return code;
}
