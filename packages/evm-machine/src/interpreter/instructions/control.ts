import type { Frame } from '../frame.ts';
import { INVALID_JUMP, INVALID_OPCODE, REVERTED, STOPPED } from '../halt.ts';
import { isZeroAt, numberAt, PARTS } from '../words.ts';
import { pushNumber } from './stack.ts';

export function stop(frame: Frame): void {
  frame.halt = STOPPED;
}

export function invalid(frame: Frame): void {
  frame.halt = INVALID_OPCODE;
}

export function jumpdest(): void {}

export function jump(frame: Frame): void {
  frame.top -= PARTS;
  jumpTo(frame, numberAt(frame.stack, frame.top));
}

export function jumpi(frame: Frame): void {
  const { stack } = frame;
  frame.top -= 2 * PARTS;
  if (!isZeroAt(stack, frame.top)) jumpTo(frame, numberAt(stack, frame.top + PARTS));
}

function jumpTo(frame: Frame, target: number): void {
  const { code } = frame;
  if (target < code.length && code.targets[target] === 1) frame.pc = target;
  else frame.halt = INVALID_JUMP;
}

export function pc(frame: Frame): void {
  pushNumber(frame, frame.pc - 1);
}

export function gas(frame: Frame): void {
  pushNumber(frame, frame.gas);
}

export function returns(frame: Frame): void {
  end(frame, STOPPED);
}

export function revert(frame: Frame): void {
  end(frame, REVERTED);
}

function end(frame: Frame, halt: number): void {
  const { stack, top } = frame;
  const offset = numberAt(stack, top - PARTS);
  const length = numberAt(stack, top - 2 * PARTS);
  if (!frame.reach(offset, length)) return;
  // The memory soon belongs to a different frame.
  frame.output = frame.view(offset, length).slice();
  frame.halt = halt;
}
