import {
  BRANCH_IF,
  createWasmModule,
  END,
  get,
  I32,
  I32_ADD,
  I32_CONST,
  I32_LESS,
  I64,
  I64_AND,
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
} from './wasm.ts';

/*
 * A WebAssembly module with Keccak-256, written instruction by instruction: 64-bit words are what the algorithm is made
 * of and what JavaScript lacks. It is a few thousand bytes and compiles in a millisecond or two.
 */

/** Bytes that are absorbed at a time: 1088 bits. */
export const BLOCK = 136;
/** Where things are in the module's memory: the 24 round constants, the hash, and what is hashed. */
const CONSTANTS = 0;
export const HASH = 192;
export const INPUT = 256;

export interface KeccakModule {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  /** Hashes the whole, padded blocks from `INPUT` up to `end`. */
  readonly hash: (end: number) => void;
}

export function createKeccakModule(): KeccakModule {
  const locals = [[2, I32] as const, [WORDS, I64] as const];
  // The module exports what is written below.
  const made = createWasmModule({ name: 'hash', locals, body: hashBody() }, 2) as KeccakModule;
  const words = new DataView(made.memory.buffer);
  for (const [round, word] of roundConstants().entries()) words.setBigUint64(CONSTANTS + 8 * round, word, true);
  return made;
}

/** FIPS 202, 3.2.5. */
function roundConstants(): bigint[] {
  let register = 1;
  return Array.from({ length: 24 }, () => {
    let word = 0n;
    for (let bit = 0; bit <= 6; bit++) {
      if ((register & 1) === 1) word |= 1n << ((1n << BigInt(bit)) - 1n);
      register = (register << 1) ^ ((register >> 7) * 0x171);
    }
    return word;
  });
}

/** Locals: `end`, the position, the round; then the state (25 words, x + 5y), what comes of it, and the sums of columns. */
const FIRST_LOCAL = { end: 0, at: 1, round: 2, state: 3, next: 28, sum: 53, mixed: 58 };
const WORDS = 60;

const state = (x: number, y: number): number => FIRST_LOCAL.state + (x % 5) + 5 * (y % 5);
const next = (x: number, y: number): number => FIRST_LOCAL.next + (x % 5) + 5 * (y % 5);
const sum = (x: number): number => FIRST_LOCAL.sum + (x % 5);
const mixed = (x: number): number => FIRST_LOCAL.mixed + (x % 5);
const FIVE = [0, 1, 2, 3, 4];

function hashBody(): number[] {
  const { end, at, round } = FIRST_LOCAL;
  return [
    ...[I32_CONST, ...signed(INPUT), ...set(at)],
    ...[LOOP, NO_RESULT],
    ...Array.from({ length: BLOCK / 8 }, (_, word) => absorb(word)).flat(),
    ...[I32_CONST, 0, ...set(round)],
    ...[LOOP, NO_RESULT, ...permuteOnce()],
    ...[...get(round), I32_CONST, 8, I32_ADD, LOCAL_TEE, round, I32_CONST, ...signed(8 * 24), I32_LESS],
    ...[BRANCH_IF, 0, END],
    ...[...get(at), I32_CONST, ...signed(BLOCK), I32_ADD, LOCAL_TEE, at, ...get(end), I32_LESS],
    ...[BRANCH_IF, 0, END],
    ...[0, 1, 2, 3].flatMap((word) => [
      ...[I32_CONST, 0, ...get(FIRST_LOCAL.state + word), I64_STORE, 3, ...unsigned(HASH + 8 * word)],
    ]),
    END,
  ];
}

function absorb(word: number): number[] {
  const target = FIRST_LOCAL.state + word;
  return [...get(target), ...get(FIRST_LOCAL.at), I64_LOAD, 0, ...unsigned(8 * word), I64_XOR, ...set(target)];
}

/** One round: FIPS 202, 3.2. */
function permuteOnce(): number[] {
  const code: number[] = [];
  // Theta.
  for (const x of FIVE) {
    code.push(...get(state(x, 0)));
    for (const y of [1, 2, 3, 4]) code.push(...get(state(x, y)), I64_XOR);
    code.push(...set(sum(x)));
  }
  for (const x of FIVE) {
    code.push(...get(sum(x + 4)), ...get(sum(x + 1)), I64_CONST, 1, I64_ROTATE_LEFT, I64_XOR, ...set(mixed(x)));
  }
  // Rho and pi.
  for (const x of FIVE) {
    for (const y of FIVE) {
      code.push(...get(state(x, y)), ...get(mixed(x)), I64_XOR);
      code.push(I64_CONST, ...signed(rotation(x, y)), I64_ROTATE_LEFT, ...set(next(y, 2 * x + 3 * y)));
    }
  }
  // Chi.
  for (const y of FIVE) {
    for (const x of FIVE) {
      code.push(...get(next(x, y)), ...get(next(x + 1, y)), I64_CONST, ...signed(-1), I64_XOR);
      code.push(...get(next(x + 2, y)), I64_AND, I64_XOR, ...set(state(x, y)));
    }
  }
  // Iota.
  code.push(...get(state(0, 0)), ...get(FIRST_LOCAL.round), I64_LOAD, 3, ...unsigned(CONSTANTS), I64_XOR);
  code.push(...set(state(0, 0)));
  return code;
}

/** Bits by which a word is rotated. */
function rotation(x: number, y: number): number {
  let [column, row] = [1, 0];
  for (let step = 0; step < 24; step++) {
    if (column === x && row === y) return (((step + 1) * (step + 2)) / 2) % 64;
    [column, row] = [row, (2 * column + 3 * row) % 5];
  }
  return 0;
}
