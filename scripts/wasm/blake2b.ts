import { MESSAGE, STATE, WORD } from '../../packages/evm-machine/src/precompiles/blake2f-layout.ts';
import {
  BLOCK_BEGIN,
  BRANCH_IF,
  END,
  get,
  I32_CONST,
  I32_IS_ZERO,
  I32_SUBTRACT,
  I64,
  I64_ADD,
  I64_CONST,
  I64_LOAD,
  I64_ROTATE_LEFT,
  I64_STORE,
  I64_XOR,
  LOCAL_TEE,
  LOOP,
  NO_RESULT,
  set,
  signed,
  unsigned,
  wasmModule,
} from './module.ts';

/* The compression of BLAKE2b (RFC 7693, 3.2), because its words have 64 bits. */

/** Which words of the message each of the ten rounds mixes in. */
const SIGMA = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/** The words of the state that each of a round's eight steps mixes. */
const STEPS = [
  ...[[0, 4, 8, 12] as const, [1, 5, 9, 13] as const, [2, 6, 10, 14] as const, [3, 7, 11, 15] as const],
  ...[[0, 5, 10, 15] as const, [1, 6, 11, 12] as const, [2, 7, 8, 13] as const, [3, 4, 9, 14] as const],
];

export const blake2bModule = (): Uint8Array =>
  wasmModule({ name: 'rounds', locals: [[16, I64]], body: roundsBody() }, 1);

/** Locals: how many rounds are left, then the words of the state. */
function roundsBody(): number[] {
  const left = 0;
  const words = Array.from({ length: 16 }, (_, word) => word);
  const code = words.flatMap((word) => [...load(STATE + word * WORD), ...set(1 + word)]);
  code.push(BLOCK_BEGIN, NO_RESULT, ...get(left), I32_IS_ZERO, BRANCH_IF, 0, LOOP, NO_RESULT);
  for (const [round, order] of SIGMA.entries()) {
    for (const [step, [a, b, c, d]] of STEPS.entries()) {
      const [first = 0, second = 0] = order.slice(step * 2);
      code.push(...mix([1 + a, 1 + b, 1 + c, 1 + d], first, second));
    }
    code.push(...get(left), I32_CONST, 1, I32_SUBTRACT, LOCAL_TEE, left);
    // Out of the block, or after the tenth round to the begin of the loop.
    code.push(...(round < SIGMA.length - 1 ? [I32_IS_ZERO, BRANCH_IF, 1] : [BRANCH_IF, 0]));
  }
  code.push(END, END);
  for (const word of words) {
    code.push(I32_CONST, 0, ...get(1 + word), I64_STORE, 3, ...unsigned(STATE + word * WORD));
  }
  return [...code, END];
}

function load(at: number): number[] {
  return [I32_CONST, 0, I64_LOAD, 3, ...unsigned(at)];
}

/** The function G (RFC 7693, 3.1) on these locals. Rotations there are to the right. */
function mix([a, b, c, d]: readonly [number, number, number, number], first: number, second: number): number[] {
  const addMessage = (word: number) => [
    ...[...get(a), ...get(b), I64_ADD, ...load(MESSAGE + word * WORD), I64_ADD, ...set(a)],
  ];
  const add = (to: number, from: number) => [...get(to), ...get(from), I64_ADD, ...set(to)];
  const turn = (to: number, from: number, bits: number) => [
    ...[...get(to), ...get(from), I64_XOR, I64_CONST, ...signed(64 - bits), I64_ROTATE_LEFT, ...set(to)],
  ];
  return [
    ...[...addMessage(first), ...turn(d, a, 32), ...add(c, d), ...turn(b, c, 24)],
    ...[...addMessage(second), ...turn(d, a, 16), ...add(c, d), ...turn(b, c, 63)],
  ];
}
