/* Common parts of WebAssembly modules that are written here, instruction by instruction: WebAssembly 1.0 and a little of 2.0. */

export const BLOCK_BEGIN = 0x02;
export const LOOP = 0x03;
export const IF = 0x04;
export const ELSE = 0x05;
export const END = 0x0b;
export const BRANCH = 0x0c;
export const BRANCH_IF = 0x0d;
export const BRANCH_TABLE = 0x0e;
export const CALL = 0x10;
export const SELECT = 0x1b;
export const LOCAL_GET = 0x20;
export const LOCAL_SET = 0x21;
export const LOCAL_TEE = 0x22;
export const I32_LOAD = 0x28;
export const I64_LOAD = 0x29;
/** One byte, unsigned. */
export const I32_LOAD_BYTE = 0x2d;
/** One byte, unsigned. */
export const I64_LOAD_BYTE = 0x31;
/** 32 bits, unsigned. */
export const I64_LOAD_HALF = 0x35;
export const I32_STORE = 0x36;
export const I64_STORE = 0x37;
/** The lowest byte. */
export const I64_STORE_BYTE = 0x3c;
export const I64_STORE_HALF = 0x3e;
export const I32_CONST = 0x41;
export const I64_CONST = 0x42;
export const I32_IS_ZERO = 0x45;
export const I32_LESS_SIGNED = 0x48;
export const I32_LESS = 0x49;
export const I32_GREATER = 0x4b;
export const I64_IS_ZERO = 0x50;
export const I64_EQUAL = 0x51;
export const I64_LESS_SIGNED = 0x53;
export const I64_LESS = 0x54;
export const I64_GREATER = 0x56;
/** Unsigned, as all that do not say otherwise. */
export const I64_NOT_LESS = 0x5a;
export const I32_ADD = 0x6a;
export const I32_SUBTRACT = 0x6b;
export const I32_MULTIPLY = 0x6c;
export const I32_AND = 0x71;
export const I32_OR = 0x72;
export const I32_SHIFT_RIGHT = 0x76;
export const I64_ADD = 0x7c;
export const I64_SUBTRACT = 0x7d;
export const I64_MULTIPLY = 0x7e;
export const I64_DIVIDE = 0x80;
export const I64_REMAINDER = 0x82;
export const I64_AND = 0x83;
export const I64_OR = 0x84;
export const I64_XOR = 0x85;
export const I64_SHIFT_LEFT = 0x86;
export const I64_SHIFT_RIGHT_SIGNED = 0x87;
/** Unsigned. */
export const I64_SHIFT_RIGHT = 0x88;
export const I64_ROTATE_LEFT = 0x89;
export const I32_FROM_I64 = 0xa7;
/** Unsigned. */
export const I64_FROM_I32 = 0xad;
/** Takes where to, from where and how many bytes (WebAssembly 2.0, as what follows). */
export const MEMORY_COPY: readonly number[] = [0xfc, 0x0a, 0, 0];
/** Takes where, the byte and how many. */
export const MEMORY_FILL: readonly number[] = [0xfc, 0x0b, 0];
/** Before instructions on vectors of 16 bytes. */
export const VECTOR = 0xfd;
export const NO_RESULT = 0x40;
export const I32 = 0x7f;
export const I64 = 0x7e;

export const get = (local: number): number[] => [LOCAL_GET, local];
export const set = (local: number): number[] => [LOCAL_SET, local];

/** A function that takes an i32, which is its local 0, and gives nothing. */
export interface WasmFunction {
  readonly name: string;
  /** How many of which type follow the parameter; fewer than 128 in all. */
  readonly locals: readonly (readonly [count: number, type: number])[];
  readonly body: readonly number[];
}

/**
 * A module that exports the function, and `memory`, of this many pages of 64 KiB: chapter 5 of the specification.
 *
 * @param called Functions that it may call, from 1 on.
 */
export function wasmModule(made: WasmFunction, pages: number, called: readonly WasmFunction[] = []): Uint8Array {
  const functions = [made, ...called];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    // One type: takes an i32, gives nothing. Functions of it. One memory.
    ...section(1, [1, 0x60, 1, I32, 0]),
    ...section(3, [functions.length, ...functions.map(() => 0)]),
    ...section(5, [1, 0, ...unsigned(pages)]),
    ...section(7, [2, ...text('memory'), 2, 0, ...text(made.name), 0, 0]),
    ...section(10, [functions.length, ...functions.flatMap(getCode)]),
  ]);
}

function getCode({ locals, body }: WasmFunction): number[] {
  const declared = [locals.length, ...locals.flat()];
  return [...unsigned(declared.length + body.length), ...declared, ...body];
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

function text(characters: string): number[] {
  return [characters.length, ...Buffer.from(characters)];
}

/** LEB128. */
export function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >> 7)];
}

export function signed(value: number): number[] {
  return value >= -64 && value < 64 ? [value & 127] : [(value & 127) | 128, ...signed(value >> 7)];
}
