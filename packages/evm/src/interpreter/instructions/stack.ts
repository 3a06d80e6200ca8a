import type { Frame } from '../frame.ts';
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

/** Puts a number below 2^53 on the stack, where there is room. */
export function pushNumber(frame: Frame, value: number): void {
  setNumber(frame.stack, frame.top, value);
  frame.top += PARTS;
}

/** Puts a word on the stack, where there is room. */
export function pushWord(frame: Frame, words: Uint32Array, at: number): void {
  copyWord(words, at, frame.stack, frame.top);
  frame.top += PARTS;
}
