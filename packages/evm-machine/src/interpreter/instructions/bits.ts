import type { Frame } from '../frame.ts';
import { areEqual, numberAt, PARTS, setSmall } from '../words.ts';

/** Below, equal or above: -1, 0, 1. */
function compare(words: Uint32Array, left: number, right: number): number {
  for (let part = PARTS - 1; part >= 0; part--) {
    const difference = (words[left + part] ?? 0) - (words[right + part] ?? 0);
    if (difference !== 0) return difference < 0 ? -1 : 1;
  }
  return 0;
}

const TOP_PART = PARTS - 1;

function compareSigned(words: Uint32Array, left: number, right: number): number {
  // The top parts, as 32 bits with a sign.
  const leftTop = (words[left + TOP_PART] ?? 0) | 0;
  const rightTop = (words[right + TOP_PART] ?? 0) | 0;
  if (leftTop < 0 !== rightTop < 0) return leftTop < 0 ? -1 : 1;
  return compare(words, left, right);
}

function answer(frame: Frame, is: boolean): void {
  frame.top -= PARTS;
  setSmall(frame.stack, frame.top - PARTS, is ? 1 : 0);
}

export function lt(frame: Frame): void {
  answer(frame, compare(frame.stack, frame.top - PARTS, frame.top - 2 * PARTS) < 0);
}

export function gt(frame: Frame): void {
  answer(frame, compare(frame.stack, frame.top - PARTS, frame.top - 2 * PARTS) > 0);
}

export function slt(frame: Frame): void {
  answer(frame, compareSigned(frame.stack, frame.top - PARTS, frame.top - 2 * PARTS) < 0);
}

export function sgt(frame: Frame): void {
  answer(frame, compareSigned(frame.stack, frame.top - PARTS, frame.top - 2 * PARTS) > 0);
}

export function eq(frame: Frame): void {
  const { stack, top } = frame;
  answer(frame, areEqual(stack, top - PARTS, stack, top - 2 * PARTS));
}

export function and(frame: Frame): void {
  const { stack } = frame;
  const left = frame.top - PARTS;
  const right = left - PARTS;
  for (let part = 0; part < PARTS; part++) {
    stack[right + part] = (stack[left + part] ?? 0) & (stack[right + part] ?? 0);
  }
  frame.top = left;
}

export function or(frame: Frame): void {
  const { stack } = frame;
  const left = frame.top - PARTS;
  const right = left - PARTS;
  for (let part = 0; part < PARTS; part++) {
    stack[right + part] = (stack[left + part] ?? 0) | (stack[right + part] ?? 0);
  }
  frame.top = left;
}

export function xor(frame: Frame): void {
  const { stack } = frame;
  const left = frame.top - PARTS;
  const right = left - PARTS;
  for (let part = 0; part < PARTS; part++) {
    stack[right + part] = (stack[left + part] ?? 0) ^ (stack[right + part] ?? 0);
  }
  frame.top = left;
}

export function not(frame: Frame): void {
  const { stack } = frame;
  const at = frame.top - PARTS;
  for (let part = 0; part < PARTS; part++) stack[at + part] = ~(stack[at + part] ?? 0);
}

/** Counted from the highest byte. */
export function byte(frame: Frame): void {
  const { stack } = frame;
  const at = frame.top - 2 * PARTS;
  const place = numberAt(stack, frame.top - PARTS);
  frame.top -= PARTS;
  const fromLow = 31 - place;
  setSmall(stack, at, fromLow < 0 ? 0 : ((stack[at + (fromLow >> 2)] ?? 0) >>> (8 * (fromLow & 3))) & 0xff);
}

export function shl(frame: Frame): void {
  const { stack } = frame;
  const at = frame.top - 2 * PARTS;
  const shift = numberAt(stack, frame.top - PARTS);
  frame.top -= PARTS;
  if (shift >= 256) {
    setSmall(stack, at, 0);
    return;
  }
  const parts = shift >> 5;
  const bits = shift & 31;
  for (let part = PARTS - 1; part >= 0; part--) {
    const from = part - parts;
    const high = from >= 0 ? (stack[at + from] ?? 0) : 0;
    const low = bits !== 0 && from >= 1 ? (stack[at + from - 1] ?? 0) >>> (32 - bits) : 0;
    stack[at + part] = (high << bits) | low;
  }
}

export function shr(frame: Frame): void {
  shiftRight(frame, 0);
}

export function sar(frame: Frame): void {
  const isNegative = ((frame.stack[frame.top - 2 * PARTS + TOP_PART] ?? 0) | 0) < 0;
  shiftRight(frame, isNegative ? 0xffff_ffff : 0);
}

/** @param above What comes in from above. */
function shiftRight(frame: Frame, above: number): void {
  const { stack } = frame;
  const at = frame.top - 2 * PARTS;
  const shift = numberAt(stack, frame.top - PARTS);
  frame.top -= PARTS;
  const parts = shift >= 256 ? PARTS : shift >> 5;
  const bits = shift >= 256 ? 0 : shift & 31;
  for (let part = 0; part < PARTS; part++) {
    const from = part + parts;
    const low = from < PARTS ? (stack[at + from] ?? 0) : above;
    const high = from + 1 < PARTS ? (stack[at + from + 1] ?? 0) : above;
    stack[at + part] = bits === 0 ? low : (low >>> bits) | (high << (32 - bits));
  }
}

/** EIP-7939: zeros before the highest bit. */
export function clz(frame: Frame): void {
  const { stack } = frame;
  const at = frame.top - PARTS;
  let zeros = 0;
  for (let part = PARTS - 1; part >= 0; part--) {
    const value = stack[at + part] ?? 0;
    zeros += Math.clz32(value);
    if (value !== 0) break;
  }
  setSmall(stack, at, zeros);
}
