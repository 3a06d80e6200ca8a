import { KECCAK, KECCAK_CONSTANTS } from '../gen/wasm/keccak.ts';
import { bytesToHex, type Hex } from './hex.ts';
import { BLOCK, CONSTANTS, HASH, INPUT } from './keccak-layout.ts';
import { compileWasm } from './wasm.ts';

interface KeccakModule {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  /** Hashes the whole, padded blocks from `INPUT` up to `end`. */
  readonly hash: (end: number) => void;
}

// Exported by scripts/wasm/keccak.ts.
const module = compileWasm(KECCAK)() as KeccakModule;
let memory: Uint8Array = new Uint8Array(module.memory.buffer);
memory.set(Buffer.from(KECCAK_CONSTANTS, 'base64'), CONSTANTS);
let result: Buffer = Buffer.from(module.memory.buffer, HASH, 32);
/** View of the same bytes, of the class that the interpreter's other bytes have. */
let view: Uint8Array = new Uint8Array(module.memory.buffer, HASH, 32);

/**
 * Keccak-256. 32 bytes.
 *
 * In WebAssembly, which was several times as fast as the native library: that one takes four calls for a hash and makes a
 * buffer for each, and has no binaries for ARM.
 */
export function keccak256(bytes: Uint8Array): Uint8Array {
  hash(bytes);
  const copy = new Uint8Array(32);
  for (let index = 0; index < 32; index++) copy[index] = result[index] ?? 0;
  return copy;
}

/** Keccak-256 without a copy: overwritten by the next hash. */
export function keccakView(bytes: Uint8Array): Uint8Array {
  hash(bytes);
  return view;
}

export function keccakHex(bytes: Uint8Array): Hex {
  return bytesToHex(keccakView(bytes));
}

/** Keccak-256 as text of 32 characters, one for each byte. */
export function keccakText(bytes: Uint8Array): string {
  hash(bytes);
  return result.toString('latin1');
}

function hash(bytes: Uint8Array): void {
  const { length } = bytes;
  const end = INPUT + (Math.floor(length / BLOCK) + 1) * BLOCK;
  if (end > memory.length) grow(end);
  memory.set(bytes, INPUT);
  memory.fill(0, INPUT + length, end);
  // Keccak as Ethereum has it is older than SHA-3, whose padding begins with 0x06.
  memory[INPUT + length] = 0x01;
  memory[end - 1] = (memory[end - 1] ?? 0) | 0x80;
  module.hash(end);
}

const PAGE = 65_536;

function grow(bytes: number): void {
  module.memory.grow(Math.ceil((bytes - memory.length) / PAGE));
  memory = new Uint8Array(module.memory.buffer);
  result = Buffer.from(module.memory.buffer, HASH, 32);
  view = new Uint8Array(module.memory.buffer, HASH, 32);
}
