import type { Room } from './fast/room.ts';
import type { Frame } from './frame.ts';
import { haltText, OUT_OF_GAS, RUNNING, STACK_OVERFLOW, STACK_UNDERFLOW } from './halt.ts';
import type { Hooks } from './hooks.ts';
import type { Watch } from './interface.ts';
import { LiveStep } from './live-step.ts';
import type { Table } from './table.ts';

/** Gas between two calls of the watch: less than a millisecond's work, regardless of the instructions. */
export const GAS_AT_ONCE = 20_000;

/** Counted in 32 bits there. */
const MOST_GAS_AT_ONCE = 2 ** 30;

/** Runs instructions until the frame halts or asks for a call. */
export function runFrame(frame: Frame, table: Table, watch: Watch | undefined): void {
  try {
    const { hooks } = frame.context;
    if (hooks?.step !== undefined || hooks?.stepped !== undefined) runTraced(frame, table, watch, hooks);
    else runPlain(frame, table, watch);
  } catch (error) {
    // An instruction reads state before it changes anything, so that undoing the common part is enough.
    frame.pc -= 1;
    frame.gas += table.gas[frame.code.bytes[frame.pc] ?? 0] ?? 0;
    throw error;
  }
}

/** Gas of the frame at which the watch is called next. Never when the frame's gas ends before. */
function nextLook(gas: number, watch: Watch | undefined): number {
  return watch === undefined || gas < GAS_AT_ONCE ? 0 : gas - GAS_AT_ONCE;
}

function runPlain(frame: Frame, table: Table, watch: Watch | undefined): void {
  const { run, gas: costs, least, most, fast } = table;
  const { room } = frame;
  const code = frame.code.bytes;
  let look = nextLook(frame.gas, watch);
  for (;;) {
    if (room !== undefined && fast[code[frame.pc] ?? 0] === 1 && room.isReady(frame.code)) runFast(frame, room, look);
    const opcode = code[frame.pc] ?? 0;
    const { top } = frame;
    if (top < (least[opcode] ?? 0) || top > (most[opcode] ?? 0)) {
      frame.pc += 1;
      frame.halt = top < (least[opcode] ?? 0) ? STACK_UNDERFLOW : STACK_OVERFLOW;
      return;
    }
    const gas = frame.gas - (costs[opcode] ?? 0);
    if (gas < look) {
      if (gas < 0) {
        frame.pc += 1;
        frame.halt = OUT_OF_GAS;
        return;
      }
      watch?.(0);
      look = nextLook(gas, watch);
    }
    frame.gas = gas;
    frame.pc += 1;
    run[opcode]?.(frame);
    if (frame.halt !== RUNNING) return;
  }
}

/** Runs instructions in WebAssembly up to the first that is to be run here. */
function runFast(frame: Frame, room: Room, look: number): void {
  const gas = Math.min(frame.gas - look, MOST_GAS_AT_ONCE);
  // Since the last look more may have been paid than is left until the next.
  if (gas <= 0) return;
  room.run(frame.pc, frame.top, gas, frame.memory.reach);
  frame.pc = room.pc;
  frame.top = room.top;
  frame.gas -= gas - room.gas;
}

/** Runs as `runPlain` does, with all that a tracer asks for. */
function runTraced(frame: Frame, table: Table, watch: Watch | undefined, hooks: Hooks): void {
  const step = new LiveStep(frame);
  const { stateGas } = frame.context;
  let look = nextLook(frame.gas, watch);
  while (frame.halt === RUNNING) {
    if (frame.gas < look) {
      watch?.(0);
      look = nextLook(frame.gas, watch);
    }
    const { gas: before } = frame;
    const { spilled } = stateGas;
    const opcode = frame.code.bytes[frame.pc] ?? 0;
    hooks.step?.(step);
    const cost = table.gas[opcode] ?? 0;
    frame.unpaid = 0;
    if (frame.top < (table.least[opcode] ?? 0)) frame.halt = STACK_UNDERFLOW;
    else if (frame.top > (table.most[opcode] ?? 0)) frame.halt = STACK_OVERFLOW;
    else if (frame.gas < cost) frame.halt = OUT_OF_GAS;
    frame.pc += 1;
    if (frame.halt === RUNNING) {
      frame.gas -= cost;
      table.run[opcode]?.(frame);
    } else frame.unpaid = cost;
    // In go-ethereum, gas for state is no part of the cost, whichever gas pays for it.
    const paid = before - frame.gas - (stateGas.spilled - spilled);
    hooks.stepped?.(paid + stillToPay(frame), haltText(frame.halt, opcode));
  }
}

/** Gas that go-ethereum counts as cost besides the payment. */
function stillToPay({ unpaid, request }: Frame): number {
  // Gas that a creation may spend is no cost of the instruction, unlike that of a call.
  if (request?.kind === 'CREATE' || request?.kind === 'CREATE2') return -request.gas;
  return Number.isFinite(unpaid) ? unpaid : 0;
}
