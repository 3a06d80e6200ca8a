import { type Fork, includes } from '@switchyard/evm-machine/fork';
import type { Random } from '@switchyard/service/testing';
import { word } from './words.ts';

/* Programs that leave little to chance: every instruction of arithmetic on many operands, and every one at the bounds of the stack. */

/** Instructions without effects besides the stack, by how many operands they take. */
const OPERANDS: readonly (readonly [operands: number, codes: readonly number[]])[] = [
  [1, [0x15, 0x19]],
  [2, [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0a, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x14]],
  [2, [0x16, 0x17, 0x18, 0x1a, 0x1b, 0x1c, 0x1d]],
  [3, [0x08, 0x09]],
];
/** CLZ, EIP-7939. */
const COUNT_ZEROS = 0x1e;
const TUPLES = 60;
const STACK_LIMIT = 1_024;

/** One program for each instruction: its results on many operands, hashed together, go to slot 0. */
export function arithmeticPrograms(random: Random, fork: Fork): Uint8Array[] {
  const all = [...OPERANDS, [1, includes(fork, 'osaka') ? [COUNT_ZEROS] : []] as const];
  return all.flatMap(([operands, codes]) => codes.map((code) => arithmetic(random, code, operands)));
}

function arithmetic(random: Random, code: number, operands: number): Uint8Array {
  const program: number[] = [];
  for (let at = 0; at < TUPLES; at++) {
    const last = word(random);
    // Equal operands, and small ones, are the edge cases of comparisons, shifts and BYTE.
    const others = Array.from({ length: operands - 1 }, () =>
      random.chance(0.15) ? last : random.chance(0.3) ? BigInt(random.between(0, 40)) : word(random),
    );
    for (const value of random.chance(0.5) ? [...others, last] : [last, ...others]) program.push(...pushed(value));
    // MSTORE behind the hash of those before, and the hash of both in its place.
    program.push(code, 0x60, 32, 0x52, 0x60, 64, 0x5f, 0x20, 0x5f, 0x52);
  }
  return Uint8Array.from([...program, 0x5f, 0x51, 0x5f, 0x55, 0x00]);
}

/** Each instruction on a stack that is full, that has place for one word more, and that lacks one operand. */
export function stackPrograms(): Uint8Array[] {
  const programs: Uint8Array[] = [];
  for (let code = 0x01; code <= 0xff; code++) {
    // PUSH has bytes behind it, which PUSH0 stands for; an invalid instruction ends everything anyway.
    if ((code > 0x60 && code < 0x7f) || (code > 0xa4 && code < 0xf0)) continue;
    for (const words of [1, 2, STACK_LIMIT - 1, STACK_LIMIT]) {
      const program = new Uint8Array(words + 5).fill(0x5f, 0, words);
      // Slot 0 shows the result, if there is place for the number of a slot; else whether it could run.
      program.set(words < STACK_LIMIT - 1 ? [code, 0x5f, 0x55] : [code], words);
      programs.push(program);
    }
  }
  return programs;
}

function pushed(value: bigint): number[] {
  if (value === 0n) return [0x5f];
  const digits = value.toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  return [0x5f + bytes.length, ...bytes];
}
