import { EVMError } from '@ethereumjs/evm';

/*
 * Jumps and pushes. The library searches the whole code and makes a number of every push in it before the first step,
 * which a call of long code that does nothing does not pay for. Here the search is for the first jump only, finds
 * nothing but jump targets, and is kept as long as the code is referenced elsewhere: never for the code of a creation, which
 * is a part of its creator's memory.
 */

/** What is used of a frame. */
export interface JumpingFrame {
  readonly stack: { pop(): bigint; push(value: bigint): void };
  readonly code: Uint8Array;
  readonly opCode: number;
  programCounter: number;
  /** Ours; the library's frames have none at first. */
  known?: Known;
}

interface Known {
  /** A bit for each position. */
  targets: Uint8Array | undefined;
  /** What long pushes push, by position. */
  readonly pushes: Map<number, bigint>;
}

const known = new WeakMap<Uint8Array, Known>();

const JUMP = 0x56;
const JUMPI = 0x57;
const JUMPDEST = 0x5b;
const PUSH0 = 0x5f;
const PUSH1 = 0x60;
const PUSH32 = 0x7f;

/** By opcode. */
export const JUMPS: ReadonlyMap<number, (frame: JumpingFrame) => void> = new Map([
  [JUMP, (frame: JumpingFrame) => go(frame, frame.stack.pop())],
  [JUMPI, jumpIf],
  ...Array.from({ length: PUSH32 - PUSH0 }, (_, index) => [PUSH1 + index, push] as const),
]);

function jumpIf(frame: JumpingFrame): void {
  const target = frame.stack.pop();
  if (frame.stack.pop() !== 0n) go(frame, target);
}

function go(frame: JumpingFrame, target: bigint): void {
  const { code } = frame;
  const position = Number(target);
  if (position >= code.length) throw new EVMError(EVMError.errorMessages.INVALID_JUMP);
  const found = knownOf(frame);
  found.targets ??= targetsOf(code);
  const bits = found.targets[position >> 3] ?? 0;
  if (((bits >> (position & 7)) & 1) === 0) throw new EVMError(EVMError.errorMessages.INVALID_JUMP);
  frame.programCounter = position;
}

function knownOf(frame: JumpingFrame): Known {
  if (frame.known !== undefined) return frame.known;
  let found = known.get(frame.code);
  if (found === undefined) {
    found = { targets: undefined, pushes: new Map() };
    known.set(frame.code, found);
  }
  frame.known = found;
  return found;
}

/** Every JUMPDEST that is not inside of what is pushed. */
export function targetsOf(code: Uint8Array): Uint8Array {
  const targets = new Uint8Array((code.length >> 3) + 1);
  for (let at = 0; at < code.length; at++) {
    const opcode = code[at] ?? 0;
    if (opcode === JUMPDEST) targets[at >> 3] = (targets[at >> 3] ?? 0) | (1 << (at & 7));
    else if (opcode >= PUSH1 && opcode <= PUSH32) at += opcode - PUSH0;
  }
  return targets;
}

/** What a byte pushes. */
const BYTES = Array.from({ length: 256 }, (_, byte) => BigInt(byte));
/** A number holds so many bytes exactly. */
const EXACT_BYTES = 6;
/** Of each code: a contract of the largest size that only pushes long numbers has fewer than this. */
const MAX_KEPT = 1_024;

function push(frame: JumpingFrame): void {
  const { code, opCode, programCounter: at } = frame;
  const size = opCode - PUSH0;
  const value =
    size === 1 ? (BYTES[code[at] ?? 0] ?? 0n) : size <= EXACT_BYTES ? short(code, at, size) : long(frame, size);
  frame.stack.push(value);
  frame.programCounter = at + size;
}

/** Zeros where the code has ended. */
function short(code: Uint8Array, at: number, size: number): bigint {
  let value = 0;
  for (let index = at; index < at + size; index++) value = value * 256 + (code[index] ?? 0);
  return BigInt(value);
}

function long(frame: JumpingFrame, size: number): bigint {
  const { code, programCounter: at } = frame;
  const { pushes } = knownOf(frame);
  const found = pushes.get(at);
  if (found !== undefined) return found;
  let value = 0n;
  let index = at;
  for (let left = size % EXACT_BYTES || EXACT_BYTES; index < at + size; left = EXACT_BYTES) {
    value = (value << BigInt(8 * left)) | short(code, index, left);
    index += left;
  }
  if (pushes.size < MAX_KEPT) pushes.set(at, value);
  return value;
}
