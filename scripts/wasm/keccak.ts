import { BLOCK, CONSTANTS, HASH, INPUT } from '../../packages/protocol/src/ethereum/keccak-layout.ts';
import { locals, wasmModule, wat } from './text.ts';

/* A WebAssembly module with Keccak-256, because the algorithm works on words of 64 bits, which JavaScript lacks. */

export const keccakModule = (): Uint8Array => wasmModule('hash', 2, [keccakFunction()]);

/** Hashes the whole, padded blocks from `INPUT` up to the parameter, in a module with `keccakConstants` in its memory. */
export function keccakFunction(): string {
  return wat`(func $hash (param $end i32)
    (local $at i32)
    (local $round i32)
    ${locals('i64', NAMES)}
    (local.set $at (i32.const ${INPUT}))
    ${INVERTED.map(([x, y]) => `(local.set $${state(x, y)} (i64.const -1))`)}
    (loop $next_block
      ${Array.from({ length: BLOCK / 8 }, (_, word) => absorb(word))}
      (local.set $round (i32.const 0))
      (loop $next_round
        ${permuteOnce()}
        (br_if $next_round
          (i32.lt_u (local.tee $round (i32.add (local.get $round) (i32.const 8))) (i32.const ${8 * 24}))))
      (br_if $next_block
        (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const ${BLOCK}))) (local.get $end))))
    ${[0, 1, 2, 3].map(storeHash)})`;
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

/* Names of locals: the state, the next one, the sums of columns, and the words of a row that have been moved. */
const state = (x: number, y: number): string => `state${(x % 5) + 5 * (y % 5)}`;
const next = (x: number, y: number): string => `next${(x % 5) + 5 * (y % 5)}`;
const sum = (x: number): string => `sum${x % 5}`;
const mixed = (x: number): string => `mixed${x % 5}`;
const moved = (x: number): string => `moved${x % 5}`;
const FIVE = [0, 1, 2, 3, 4];
const PLACES = FIVE.flatMap((y) => FIVE.map((x) => [x, y] as const));
const NAMES = [
  ...PLACES.map(([x, y]) => state(x, y)),
  ...PLACES.map(([x, y]) => next(x, y)),
  ...[sum, mixed, moved].flatMap((name) => FIVE.map(name)),
];

function absorb(word: number): string {
  const target = state(word, Math.floor(word / 5));
  return wat`(local.set $${target}
    (i64.xor (local.get $${target}) (i64.load offset=${8 * word} align=1 (local.get $at))))`;
}

function storeHash(word: number): string {
  const value = `(local.get $${state(word, 0)})`;
  return `(i64.store offset=${HASH + 8 * word} (i32.const 0) ${isInverted(word, 0) ? not(value) : value})`;
}

/** One round: FIPS 202, 3.2. */
function permuteOnce(): string {
  const column = (x: number, y: number): string =>
    y === 0 ? `(local.get $${state(x, y)})` : `(i64.xor ${column(x, y - 1)} (local.get $${state(x, y)}))`;
  return wat`
    ;; Theta.
    ${FIVE.map((x) => `(local.set $${sum(x)} ${column(x, 4)})`)}
    ${FIVE.map(
      (x) => wat`(local.set $${mixed(x)}
        (i64.xor (local.get $${sum(x + 4)}) (i64.rotl (local.get $${sum(x + 1)}) (i64.const 1))))`,
    )}
    ;; Rho, pi and chi, one row of the result after the other.
    ${FIVE.map(
      (y) => wat`
        ${FIVE.map((x) => moveTo(x, y))}
        ${FIVE.map((x) => `(local.set $${next(x, y)} ${chi(x, y)})`)}`,
    )}
    ${PLACES.map(([x, y]) => `(local.set $${state(x, y)} (local.get $${next(x, y)}))`)}
    ;; Iota.
    (local.set $${state(0, 0)}
      (i64.xor (local.get $${state(0, 0)}) (i64.load offset=${CONSTANTS} (local.get $round))))`;
}

function moveTo(x: number, y: number): string {
  const [column, row] = getSource(x, y);
  return wat`(local.set $${moved(x)} (i64.rotl
    (i64.xor (local.get $${state(column, row)}) (local.get $${mixed(column)}))
    (i64.const ${rotation(column, row)})))`;
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

const not = (value: string): string => `(i64.xor ${value} (i64.const -1))`;

/** A word of the next state, of three words that have been moved. */
function chi(x: number, y: number): string {
  const [isFirst, isSecond, isThird] = [0, 1, 2].map((by) => {
    const [column, row] = getSource((x + by) % 5, y);
    return isInverted(column, row) !== isMixedInverted(column);
  });
  // The product, or what it is inverted: that of the inverted second and the third, or the sum of the second and the inverted third.
  const isSum = isInverted(x, y) !== isFirst;
  const second = `(local.get $${moved(x + 1)})`;
  const third = `(local.get $${moved(x + 2)})`;
  return wat`(i64.xor (local.get $${moved(x)}) (i64.${isSum ? 'or' : 'and'}
    ${isSecond === isSum ? not(second) : second}
    ${isThird === isSum ? third : not(third)}))`;
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
