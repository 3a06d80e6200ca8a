import type { Frame } from '../frame.ts';
import { INVALID_OPCODE, RUNNING, STACK_UNDERFLOW } from '../halt.ts';
import { copyWord, PARTS, setNumber, setSmall } from '../words.ts';

export function pop(frame: Frame): void {
  frame.top -= PARTS;
}

export function push0(frame: Frame): void {
  setSmall(frame.stack, frame.top, 0);
  frame.top += PARTS;
}

export function push1(frame: Frame): void {
  setSmall(frame.stack, frame.top, frame.code.bytes[frame.pc] ?? 0);
  frame.pc += 1;
  frame.top += PARTS;
}

export function push2(frame: Frame): void {
  const { bytes } = frame.code;
  const { pc } = frame;
  setSmall(frame.stack, frame.top, ((bytes[pc] ?? 0) << 8) | (bytes[pc + 1] ?? 0));
  frame.pc = pc + 2;
  frame.top += PARTS;
}

/** @param size Bytes of the operand. */
export function push(size: number) {
  const whole = size >> 2;
  const rest = size & 3;
  return (frame: Frame): void => {
    const { stack, top, pc } = frame;
    const { bytes } = frame.code;
    let next = pc;
    let part = top + whole;
    for (let clear = part; clear < top + PARTS; clear++) stack[clear] = 0;
    if (rest > 0) {
      let value = 0;
      for (let count = 0; count < rest; count++) {
        value = (value << 8) | (bytes[next] ?? 0);
        next += 1;
      }
      stack[part] = value;
    }
    for (part -= 1; part >= top; part--) {
      stack[part] =
        ((bytes[next] ?? 0) << 24) |
        ((bytes[next + 1] ?? 0) << 16) |
        ((bytes[next + 2] ?? 0) << 8) |
        (bytes[next + 3] ?? 0);
      next += 4;
    }
    frame.pc = pc + size;
    frame.top = top + PARTS;
  };
}

/** @param place 1 for the top of the stack. */
export function dup(place: number) {
  const distance = place * PARTS;
  return (frame: Frame): void => {
    const { stack, top } = frame;
    copyWord(stack, top - distance, stack, top);
    frame.top = top + PARTS;
  };
}

/** @param place 1 for the word below the top. */
export function swap(place: number) {
  const distance = (place + 1) * PARTS;
  return ({ stack, top }: Frame): void => {
    const upper = top - PARTS;
    const lower = top - distance;
    for (let part = 0; part < PARTS; part++) {
      const value = stack[upper + part] ?? 0;
      stack[upper + part] = stack[lower + part] ?? 0;
      stack[lower + part] = value;
    }
  };
}

/** EIP-8024. */
export function dupn(frame: Frame): void {
  const { stack, top } = frame;
  const place = singleAt(frame);
  if (!hasWords(frame, place)) return;
  copyWord(stack, top - place * PARTS, stack, top);
  frame.top = top + PARTS;
}

/** EIP-8024. */
export function swapn(frame: Frame): void {
  const place = singleAt(frame);
  if (hasWords(frame, place + 1)) swapWords(frame, 1, place + 1);
}

/** EIP-8024. */
export function exchange(frame: Frame): void {
  const immediate = frame.code.bytes[frame.pc] ?? 0;
  if (immediate > 81 && immediate < 128) {
    frame.halt = INVALID_OPCODE;
    return;
  }
  frame.pc += 1;
  const pair = immediate ^ 143;
  const [row, column] = [pair >> 4, pair & 15];
  const [upper, lower] = row < column ? [row + 1, column + 1] : [column + 1, 29 - row];
  if (hasWords(frame, lower + 1)) swapWords(frame, upper + 1, lower + 1);
}

/** The number that follows DUPN and SWAPN; such that no jump target is part of them. */
function singleAt(frame: Frame): number {
  const immediate = frame.code.bytes[frame.pc] ?? 0;
  if (immediate > 90 && immediate < 128) {
    frame.halt = INVALID_OPCODE;
    return 0;
  }
  frame.pc += 1;
  return (immediate + 145) & 255;
}

function hasWords(frame: Frame, words: number): boolean {
  if (frame.halt !== RUNNING) return false;
  if (frame.top >= words * PARTS) return true;
  frame.halt = STACK_UNDERFLOW;
  return false;
}

/** @param first Counted from the top, which is 1. */
function swapWords({ stack, top }: Frame, first: number, second: number): void {
  const upper = top - first * PARTS;
  const lower = top - second * PARTS;
  for (let part = 0; part < PARTS; part++) {
    const value = stack[upper + part] ?? 0;
    stack[upper + part] = stack[lower + part] ?? 0;
    stack[lower + part] = value;
  }
}

/** Puts a number below 2^53 on the stack, if there is room. */
export function pushNumber(frame: Frame, value: number): void {
  setNumber(frame.stack, frame.top, value);
  frame.top += PARTS;
}

/** Puts a word on the stack, if there is room. */
export function pushWord(frame: Frame, words: Uint32Array, at: number): void {
  copyWord(words, at, frame.stack, frame.top);
  frame.top += PARTS;
}
