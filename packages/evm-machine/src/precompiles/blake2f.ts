import { compileWasm } from '@switchyard/protocol/wasm';
import { BLAKE2B } from '../gen/wasm/blake2b.ts';
import { MESSAGE, STATE, WORD } from './blake2f-layout.ts';

/*
 * The compression of BLAKE2b (RFC 7693, 3.2) in a WebAssembly module, because its words have 64 bits. What the contract
 * is paid per round is little, and its caller chooses how many there are.
 */

const HALF = 8 * WORD;
/** Input of the precompiled contract, and its layout (EIP-152). */
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

/** A unit for each round (EIP-152). Input of another length fails at no cost. */
export function blake2fGas(input: Uint8Array): number {
  return input.length === BLAKE2F_BYTES ? getRounds(input) : 0;
}

function getRounds(input: Uint8Array): number {
  return new DataView(input.buffer, input.byteOffset).getUint32(0);
}

/** The precompiled contract 9. */
export function blake2f(input: Uint8Array): Uint8Array | undefined {
  if (!isValid(input)) return undefined;
  begin(input);
  module.rounds(getRounds(input));
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
  /** Works on the state in memory, with the message there. */
  readonly rounds: (count: number) => void;
}

/** Further positions in the module's memory. The input stands such that its words are at multiples of 8. */
const INPUT_AT = MESSAGE - INPUT.message;
const IV = 512;

// Exported by scripts/wasm/blake2b.ts.
const module = compileWasm(BLAKE2B)() as Blake2Module;
const memory = new Uint8Array(module.memory.buffer);
memory.set(IV_BYTES, IV);
