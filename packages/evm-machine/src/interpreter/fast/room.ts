import type { Fork } from '../../fork.ts';
import type { Code } from '../code.ts';
import {
  CODE_AT,
  FIRST_ROOM,
  HEADER,
  HEADER_AT,
  MEMORY_AT,
  OWN_AT,
  PART_BYTES,
  ROOM_BYTES,
  ROOMS,
  STACK_AT,
  TARGETS_AT,
} from './layout.ts';
import { createFastModule, type FastModule } from './module.ts';

/** For each 256 bytes of code, an instruction: bringing it takes no longer than these, so calls that do little stay cheap. */
const STEPS_SHIFT = 8;

/** A part of a module's memory in which one frame runs at a time: its stack, memory and code are there. */
export class Room {
  readonly stack: Uint32Array;
  /** See `Frame.own`. */
  readonly own: Uint32Array;
  readonly memory: Uint8Array;
  readonly #header: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #at: number;
  readonly #run: (room: number) => void;
  #code: Code | undefined;
  /** Instructions that the frame runs outside before its code is brought here. */
  #wait = 0;

  constructor({ memory: { buffer }, run }: FastModule, at: number) {
    this.stack = new Uint32Array(buffer, at + STACK_AT, (OWN_AT - STACK_AT) / 4);
    this.own = new Uint32Array(buffer, at + OWN_AT, (HEADER_AT - OWN_AT) / 4);
    this.memory = new Uint8Array(buffer, at + MEMORY_AT, PART_BYTES);
    this.#header = new Int32Array(buffer, at + HEADER_AT, 6);
    this.#bytes = new Uint8Array(buffer, at, ROOM_BYTES);
    this.#at = at;
    this.#run = run;
  }

  /** Prepares for a frame. */
  enter(code: Code, inputLength: number): void {
    this.#header[HEADER.inputLength] = inputLength;
    this.#wait = code === this.#code ? 0 : 1 + (code.length >> STEPS_SHIFT);
  }

  /** Asked before each instruction that is fast. @returns Whether the frame's code is here. */
  isReady(code: Code): boolean {
    if (this.#wait === 0) return true;
    this.#wait -= 1;
    if (this.#wait > 0) return false;
    this.#code = code;
    this.#bytes.set(code.bytes, CODE_AT);
    this.#header[HEADER.length] = 0;
    return true;
  }

  /**
   * Runs instructions. Afterwards `pc`, `top` and `gas` say how the frame stands.
   *
   * @param gas That may be spent, below 2^31.
   * @param reach Offsets below this are those at which a word can be read from memory.
   */
  run(pc: number, top: number, gas: number, reach: number): void {
    const header = this.#header;
    if (header[HEADER.length] === 0) this.#loadTargets();
    header[HEADER.pc] = pc;
    header[HEADER.depth] = 4 * top;
    header[HEADER.gas] = gas;
    header[HEADER.reach] = reach;
    this.#run(this.#at);
  }

  get pc(): number {
    return this.#header[HEADER.pc] ?? 0;
  }

  get top(): number {
    return (this.#header[HEADER.depth] ?? 0) >> 2;
  }

  get gas(): number {
    return this.#header[HEADER.gas] ?? 0;
  }

  /** The first jump is left to the interpreter, since code that does not jump needs no targets. */
  #loadTargets(): void {
    const targets = this.#code?.knownTargets;
    if (targets === undefined) return;
    this.#bytes.set(targets, TARGETS_AT);
    this.#header[HEADER.length] = targets.length;
  }
}

/** Whether the code has a place in a room. */
export const fits = ({ bytes }: Code): boolean => bytes.length <= PART_BYTES;

/** Rooms of a new module. */
export function createRooms(fork: Fork): Room[] {
  const module = createFastModule(fork);
  return Array.from({ length: ROOMS }, (_, index) => new Room(module, FIRST_ROOM + index * ROOM_BYTES));
}
