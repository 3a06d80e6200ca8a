import type { EVM } from '@ethereumjs/evm';
import { internalsOf } from './internals.ts';

/*
 * The memory of a frame. EthereumJS's takes 8 KB at a time and copies all it has each time; here it begins with nothing
 * and doubles. And a word is written into it without going through text.
 */

/** What the library's handlers use of a memory. */
export class PatchedMemory {
  _store = new Uint8Array();

  /** There are bytes up to `offset + size` after it, zeros where nothing was written. */
  extend(offset: number, size: number): void {
    const { _store: before } = this;
    if (size === 0 || offset + size <= before.length) return;
    const words = Math.ceil((offset + size) / WORD);
    const after = new Uint8Array(Math.max(words * WORD, 2 * before.length, FIRST));
    after.set(before);
    this._store = after;
  }

  /** @param value Of `size` bytes. */
  write(offset: number, size: number, value: Uint8Array): void {
    if (size === 0) return;
    if (value.length !== size) throw new Error(`${value.length} bytes are written into memory as ${size}`);
    this.extend(offset, size);
    this._store.set(value, offset);
  }

  read(offset: number, size: number, avoidCopy?: boolean): Uint8Array {
    this.extend(offset, size);
    const end = offset + size;
    return avoidCopy === true ? this._store.subarray(offset, end) : this._store.slice(offset, end);
  }
}

/** Bytes. Most frames that use memory need no more than the first. */
const WORD = 32;
const FIRST = 512;

interface RunState {
  readonly stack: { pop(): bigint };
  readonly memory: PatchedMemory;
}

const MSTORE = 0x52;

export function usePatchedMemory(evm: EVM): void {
  const { _opcodeMap: operations } = internalsOf(evm);
  const found = operations[MSTORE];
  if (found === undefined) throw new Error('the EVM library has no MSTORE: another version is installed');
  operations[MSTORE] = { ...found, opHandler: mstore };
}

/** Its gas, which comes first, bounds the offset. */
function mstore({ stack, memory }: RunState): void {
  const offset = Number(stack.pop());
  const word = stack.pop();
  memory.extend(offset, WORD);
  const { buffer, byteOffset } = memory._store;
  const view = new DataView(buffer, byteOffset + offset, WORD);
  view.setBigUint64(24, BigInt.asUintN(64, word));
  const rest = word >> 64n;
  view.setBigUint64(16, BigInt.asUintN(64, rest));
  view.setBigUint64(8, rest === 0n ? 0n : BigInt.asUintN(64, rest >> 64n));
  view.setBigUint64(0, rest === 0n ? 0n : rest >> 128n);
}
