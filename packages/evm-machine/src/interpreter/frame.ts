import { type Code, NO_CODE } from './code.ts';
import type { Context } from './context.ts';
import type { Room } from './fast/room.ts';
import { OUT_OF_GAS, RUNNING, STOPPED, WRITE_PROTECTION } from './halt.ts';
import type { FrameKind } from './hooks.ts';
import type { Account } from './journal.ts';
import { Memory } from './memory.ts';
import { PARTS } from './words.ts';

/** Words on a stack. */
export const MAX_STACK = 1_024;

/** Places in `Frame.own`. */
export const ADDRESS = 0;
export const CALLER = PARTS;
export const VALUE = 2 * PARTS;

const NO_BYTES = new Uint8Array();

/** A call or creation that a frame asks for. */
export interface CallRequest {
  readonly kind: FrameKind;
  /** Account whose balance and storage it works on. */
  readonly account: Account;
  /** Account whose code was called: `account`, or another whose code runs for it. */
  readonly target: Account;
  readonly code: Code;
  readonly value: bigint;
  /** Live: a part of the caller's memory. */
  readonly input: Uint8Array;
  readonly gas: number;
  /** EIP-8037: charged already for an account that it brings into being; given back if it fails. */
  readonly stateGas: number;
  readonly isStatic: boolean;
  /** Place for the result, chosen by the caller. */
  readonly outputAt: number;
  readonly outputLength: number;
}

/** Code that runs. A frame is used for one call after another. */
export class Frame {
  readonly stack: Uint32Array;
  readonly memory: Memory;
  /** Words for ADDRESS, CALLER and CALLVALUE. */
  readonly own: Uint32Array;
  /** Room in which fast instructions run on it. */
  readonly room: Room | undefined;
  /** 0 for the code that the transaction calls. */
  depth = 0;
  /** The first free place of the stack. */
  top = 0;
  pc = 0;
  gas = 0;
  halt = RUNNING;
  code: Code = NO_CODE;
  isStatic = false;
  input: Uint8Array = NO_BYTES;
  /** Output that it ends with. */
  output: Uint8Array = NO_BYTES;
  /** Output of its last call. */
  returned: Uint8Array = NO_BYTES;
  /** The call that it asks for. */
  request: CallRequest | undefined;
  /** Gas that could not be paid, when it ran out of gas. */
  unpaid = 0;
  /** Journal, logs and refund before it began. */
  mark = 0;
  logMark = 0;
  refundMark = 0;
  /** Figures of `StateGas` then. */
  spillMark = 0;
  reservoirMark = 0;
  #memoryGas = 0;
  #context: Context | undefined;
  #origin: CallRequest | undefined;

  constructor(room?: Room) {
    this.room = room;
    this.stack = room?.stack ?? new Uint32Array(MAX_STACK * PARTS);
    this.memory = new Memory(room?.memory);
    this.own = room?.own ?? new Uint32Array(3 * PARTS);
  }

  get context(): Context {
    return this.#context ?? unused();
  }

  /** Request that it began with. */
  get origin(): CallRequest {
    return this.#origin ?? unused();
  }

  /** Account whose balance and storage it works on. */
  get account(): Account {
    return this.origin.account;
  }

  begin(context: Context, depth: number, request: CallRequest): void {
    this.#context = context;
    this.#origin = request;
    this.depth = depth;
    this.code = request.code;
    this.gas = request.gas;
    this.isStatic = request.isStatic;
    this.top = 0;
    this.pc = 0;
    this.halt = request.code.length === 0 ? STOPPED : RUNNING;
    this.#memoryGas = 0;
  }

  /** Releases its buffers. */
  end(): void {
    this.memory.clear();
    this.#context = undefined;
    this.#origin = undefined;
    this.request = undefined;
    this.code = NO_CODE;
    this.input = NO_BYTES;
    this.output = NO_BYTES;
    this.returned = NO_BYTES;
  }

  /** @returns Whether there was enough. */
  charge(gas: number): boolean {
    if (gas > this.gas) {
      this.halt = OUT_OF_GAS;
      this.unpaid = gas;
      return false;
    }
    this.gas -= gas;
    return true;
  }

  /** Pays for growth of the state. @returns Whether there was enough. */
  chargeState(gas: number): boolean {
    if (this.context.stateGas.charge(this, gas)) return true;
    this.halt = OUT_OF_GAS;
    this.unpaid = gas;
    return false;
  }

  /** Makes memory as large as an access needs, and pays for it (Yellow Paper, appendix H). */
  reach(offset: number, length: number): boolean {
    const end = offset + length;
    if (end <= this.memory.size || length === 0) return true;
    return this.#grow(end);
  }

  #grow(end: number): boolean {
    const words = Math.ceil(end / 32);
    const total = 3 * words + Math.floor((words * words) / 512);
    if (end > MAX_MEMORY) return this.charge(Number.POSITIVE_INFINITY);
    if (!this.charge(total - this.#memoryGas)) return false;
    this.#memoryGas = total;
    this.memory.grow(end);
    return true;
  }

  /** Refuses changes of state inside a static call (EIP-214). */
  mayWrite(): boolean {
    if (!this.isStatic) return true;
    this.halt = WRITE_PROTECTION;
    return false;
  }

  /** Memory from `offset` on; live. It is large enough. */
  view(offset: number, length: number): Uint8Array {
    return length === 0 ? NO_BYTES : this.memory.bytes.subarray(offset, offset + length);
  }
}

/** Bytes that no gas pays for. */
const MAX_MEMORY = 2 ** 31;

function unused(): never {
  throw new Error('the frame is not in use');
}
