import { BLOCK, CONSTANTS, HASH, INPUT } from '../../packages/protocol/src/ethereum/keccak-layout.ts';
import {
  BRANCH_IF,
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
  I64_OR,
  I64_ROTATE_LEFT,
  I64_STORE,
  I64_XOR,
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
 * A WebAssembly module with Keccak-256, written instruction by instruction: 64-bit words are what the algorithm is made
 * of and what JavaScript lacks.
 */

export const keccakModule = (): Uint8Array => wasmModule(keccakFunction(), 2);

/** Hashes the whole, padded blocks from `INPUT` up to the parameter, in a module with `keccakConstants` in its memory. */
export function keccakFunction(): WasmFunction {
  return { name: 'hash', locals: [[2, I32] as const, [WORDS, I64] as const], body: hashBody() };
}

/** Content of the memory at `CONSTANTS`. */
export function keccakConstants(): Uint8Array {
  const words = new DataView(new ArrayBuffer(8 * 24));
  for (const [round, word] of roundConstants().entries()) words.setBigUint64(8 * round, word, true);
  return new Uint8Array(words.buffer);
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

/**
 * Locals: `end`, the position, the round; then the state (25 words, x + 5y), what comes of it, the sums of columns, and the
 * words of a row that have been moved.
 */
const FIRST_LOCAL = { end: 0, at: 1, round: 2, state: 3, next: 28, sum: 53, mixed: 58, moved: 63 };
const WORDS = 65;

const state = (x: number, y: number): number => FIRST_LOCAL.state + (x % 5) + 5 * (y % 5);
const next = (x: number, y: number): number => FIRST_LOCAL.next + (x % 5) + 5 * (y % 5);
const sum = (x: number): number => FIRST_LOCAL.sum + (x % 5);
const mixed = (x: number): number => FIRST_LOCAL.mixed + (x % 5);
const moved = (x: number): number => FIRST_LOCAL.moved + (x % 5);
const FIVE = [0, 1, 2, 3, 4];

function hashBody(): number[] {
  const { end, at, round } = FIRST_LOCAL;
  return [
    ...[I32_CONST, ...signed(INPUT), ...set(at)],
    ...INVERTED.flatMap(([x, y]) => [I64_CONST, ...signed(-1), ...set(state(x, y))]),
    ...[LOOP, NO_RESULT],
    ...Array.from({ length: BLOCK / 8 }, (_, word) => absorb(word)).flat(),
    ...[I32_CONST, 0, ...set(round)],
    ...[LOOP, NO_RESULT, ...permuteOnce()],
    ...[...get(round), I32_CONST, 8, I32_ADD, LOCAL_TEE, round, I32_CONST, ...signed(8 * 24), I32_LESS],
    ...[BRANCH_IF, 0, END],
    ...[...get(at), I32_CONST, ...signed(BLOCK), I32_ADD, LOCAL_TEE, at, ...get(end), I32_LESS],
    ...[BRANCH_IF, 0, END],
    ...[0, 1, 2, 3].flatMap((word) => [
      ...[
        I32_CONST,
        0,
        ...get(state(word, 0)),
        ...(isInverted(word, 0) ? NOT : []),
        I64_STORE,
        3,
        ...unsigned(HASH + 8 * word),
      ],
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
  // Rho, pi and chi, one row of the result after the other.
  for (const y of FIVE) {
    for (const x of FIVE) {
      const [column, row] = getSource(x, y);
      code.push(...get(state(column, row)), ...get(mixed(column)), I64_XOR);
      code.push(I64_CONST, ...signed(rotation(column, row)), I64_ROTATE_LEFT, ...set(moved(x)));
    }
    for (const x of FIVE) code.push(...chi(x, y), ...set(next(x, y)));
  }
  for (const word of Array.from({ length: 25 }, (_, index) => index)) {
    code.push(...get(FIRST_LOCAL.next + word), ...set(FIRST_LOCAL.state + word));
  }
  // Iota.
  code.push(...get(state(0, 0)), ...get(FIRST_LOCAL.round), I64_LOAD, 3, ...unsigned(CONSTANTS), I64_XOR);
  code.push(...set(state(0, 0)));
  return code;
}

/** Word that pi brings to this place: the inverse of (x, y) to (y, 2x + 3y). */
function getSource(x: number, y: number): [column: number, row: number] {
  return [(x + 3 * y) % 5, x];
}

/**
 * Words held with all bits inverted. Then most of chi needs no inversion, for which there is no instruction, but an
 * OR in place of an AND: (not a) and b is not (a or not b) (Keccak implementation overview, 2.2).
 */
const INVERTED: readonly (readonly [x: number, y: number])[] = [
  [1, 0],
  [2, 0],
  [3, 1],
  [2, 2],
  [2, 3],
  [0, 4],
];

const isInverted = (x: number, y: number): boolean => INVERTED.some(([column, row]) => column === x && row === y);

/** Whether theta inverts the words of a column: it adds up two others. */
function isMixedInverted(x: number): boolean {
  return INVERTED.filter(([column]) => column === (x + 4) % 5 || column === (x + 1) % 5).length % 2 === 1;
}

const NOT = [I64_CONST, ...signed(-1), I64_XOR];

/** A word of the next state, of three words that have been moved. */
function chi(x: number, y: number): number[] {
  const [isFirst, isSecond, isThird] = [0, 1, 2].map((by) => {
    const [column, row] = getSource((x + by) % 5, y);
    return isInverted(column, row) !== isMixedInverted(column);
  });
  // The product, or what it is inverted: that of the inverted second and the third, or the sum of the second and the inverted third.
  const isSum = isInverted(x, y) !== isFirst;
  const second = isSecond === isSum ? NOT : [];
  const third = isThird === isSum ? [] : NOT;
  return [
    ...[...get(moved(x)), ...get(moved(x + 1)), ...second, ...get(moved(x + 2)), ...third],
    ...[isSum ? I64_OR : I64_AND, I64_XOR],
  ];
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
