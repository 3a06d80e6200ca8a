import {
  BLOCK_BEGIN,
  BRANCH_IF,
  createWasmModule,
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
} from '@switchyard/protocol/wasm';

/*
 * The compression of BLAKE2b (RFC 7693, 3.2) in a WebAssembly module, because its words have 64 bits. What the contract
 * is paid per round is little, and its caller chooses how many there are.
 */

const WORD = 8;
const HALF = 8 * WORD;
const WHOLE = 16 * WORD;
/** Input of the precompiled contract, and where it has what (EIP-152). */
const BLAKE2F_BYTES = 213;
const INPUT = { state: 4, message: 68, offset: 196, end: 212 };

const IV_BYTES = bytesOfWords([
  ...[0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n],
  ...[0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n],
]);

function bytesOfWords(words: readonly bigint[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(words.length * WORD));
  for (const [index, word] of words.entries()) view.setBigUint64(index * WORD, word, true);
  return new Uint8Array(view.buffer);
}

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

/** A unit for each round (EIP-152). What has another length fails for nothing. */
export function blake2fGas(input: Uint8Array): number {
  return input.length === BLAKE2F_BYTES ? roundsOf(input) : 0;
}

function roundsOf(input: Uint8Array): number {
  return new DataView(input.buffer, input.byteOffset).getUint32(0);
}

/** The precompiled contract 9. */
export function blake2f(input: Uint8Array): Uint8Array | undefined {
  if (!isValid(input)) return undefined;
  begin(input);
  module.rounds(roundsOf(input));
  return result();
}

function isValid(input: Uint8Array): boolean {
  return input.length === BLAKE2F_BYTES && (input[INPUT.end] ?? 2) <= 1;
}

/** Puts the input and the state before the first round into the module's memory. */
function begin(input: Uint8Array): void {
  memory.set(input, INPUT_AT);
  memory.copyWithin(STATE, INPUT_AT + INPUT.state, INPUT_AT + INPUT.message);
  memory.copyWithin(STATE + HALF, IV, IV + HALF);
  const offset = STATE + 12 * WORD;
  for (let index = 0; index < 2 * WORD; index += 1) mixIn(offset + index, input[INPUT.offset + index] ?? 0);
  if (input[INPUT.end] === 1) for (let index = 0; index < WORD; index += 1) mixIn(STATE + 14 * WORD + index, 0xff);
}

function mixIn(at: number, byte: number): void {
  memory[at] = (memory[at] ?? 0) ^ byte;
}

/** After the last round. */
function result(): Uint8Array {
  const mixed = new Uint8Array(HALF);
  for (let index = 0; index < HALF; index += 1) {
    const before = memory[INPUT_AT + INPUT.state + index] ?? 0;
    mixed[index] = before ^ (memory[STATE + index] ?? 0) ^ (memory[STATE + HALF + index] ?? 0);
  }
  return mixed;
}

interface Blake2Module {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Works on the state in memory, with the message that is there. */
  readonly rounds: (count: number) => void;
}

/** Where things are in the module's memory. The input is where its words are at multiples of 8. */
const STATE = 0;
const INPUT_AT = WHOLE + 4;
const MESSAGE = INPUT_AT + INPUT.message;
const IV = 512;

// The module exports what is written below.
const module = createWasmModule({ name: 'rounds', locals: [[16, I64]], body: roundsBody() }, 1) as Blake2Module;
const memory = new Uint8Array(module.memory.buffer);
memory.set(IV_BYTES, IV);

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
