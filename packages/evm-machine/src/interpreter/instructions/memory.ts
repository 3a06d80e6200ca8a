import { keccakView } from '@switchyard/protocol/ethereum';
import type { Frame } from '../frame.ts';
import { numberAt, PARTS, putBytes, setBytes } from '../words.ts';
import { pushNumber } from './stack.ts';

export const COPY_WORD_GAS = 3;
const KECCAK_WORD_GAS = 6;

export const wordsIn = (bytes: number) => Math.ceil(bytes / 32);

export function mload(frame: Frame): void {
  const at = frame.top - PARTS;
  const offset = numberAt(frame.stack, at);
  if (frame.reach(offset, 32)) setBytes(frame.stack, at, frame.memory.bytes, offset);
}

export function mstore(frame: Frame): void {
  const at = frame.top - PARTS;
  const offset = numberAt(frame.stack, at);
  if (!frame.reach(offset, 32)) return;
  putBytes(frame.stack, at - PARTS, frame.memory.bytes, offset);
  frame.top = at - PARTS;
}

export function mstore8(frame: Frame): void {
  const at = frame.top - PARTS;
  const offset = numberAt(frame.stack, at);
  if (!frame.reach(offset, 1)) return;
  // Only the lowest byte of the number is stored.
  frame.memory.bytes[offset] = frame.stack[at - PARTS] ?? 0;
  frame.top = at - PARTS;
}

export function msize(frame: Frame): void {
  pushNumber(frame, frame.memory.size);
}

/** EIP-5656. */
export function mcopy(frame: Frame): void {
  const { stack, top, memory } = frame;
  const to = numberAt(stack, top - PARTS);
  const from = numberAt(stack, top - 2 * PARTS);
  const length = numberAt(stack, top - 3 * PARTS);
  if (!frame.charge(COPY_WORD_GAS * wordsIn(length)) || !frame.reach(Math.max(to, from), length)) return;
  if (length > 0) memory.bytes.copyWithin(to, from, from + length);
  frame.top = top - 3 * PARTS;
}

export function keccak(frame: Frame): void {
  const { stack, top } = frame;
  const offset = numberAt(stack, top - PARTS);
  const length = numberAt(stack, top - 2 * PARTS);
  if (!frame.charge(KECCAK_WORD_GAS * wordsIn(length)) || !frame.reach(offset, length)) return;
  setBytes(stack, top - 2 * PARTS, keccakView(frame.view(offset, length)), 0);
  frame.top = top - PARTS;
}

/** CALLDATACOPY and its likes: three operands, then bytes into memory with zeros past their end. */
export function copyToMemory(frame: Frame, source: Uint8Array): void {
  const { stack, top } = frame;
  const to = numberAt(stack, top - PARTS);
  const from = numberAt(stack, top - 2 * PARTS);
  const length = numberAt(stack, top - 3 * PARTS);
  if (!frame.charge(COPY_WORD_GAS * wordsIn(length)) || !frame.reach(to, length)) return;
  if (length > 0) frame.memory.write(to, source, from, length);
  frame.top = top - 3 * PARTS;
}
