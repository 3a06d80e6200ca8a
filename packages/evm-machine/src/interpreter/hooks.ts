import type { Address, Log } from '../types.ts';

export type FrameKind = 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL' | 'CREATE' | 'CREATE2';

/** The beginning of a call or a creation, also of one that exits at once. */
export interface FrameStart {
  readonly kind: FrameKind;
  /** 0 for the transaction itself. */
  readonly depth: number;
  /** The contract that calls, also for DELEGATECALL. */
  readonly from: Address;
  /** Account whose code was called; for a creation, the new contract. */
  readonly to: Address;
  /** Account whose balance and storage it works on. */
  readonly address: Address;
  /** For a DELEGATECALL, the value that the calling frame came with; for a STATICCALL, 0. */
  readonly value: bigint;
  readonly input: Uint8Array;
  /** With the stipend. */
  readonly gas: number;
  readonly precompile: boolean;
}

export interface FrameEnd {
  /** Returned bytes, also of REVERT; for a creation, the code. */
  readonly output: Uint8Array;
  readonly gasUsed: number;
  /** Undefined when it succeeded, otherwise geth's words. */
  readonly error: string | undefined;
}

/** One instruction before it runs. Live: valid during the call only. */
export interface Step {
  readonly pc: number;
  readonly opcode: number;
  /** Left to the frame. */
  readonly gas: number;
  readonly refund: number;
  /** 0 for the code that the transaction calls. */
  readonly depth: number;
  /** Account whose storage it works on. */
  readonly address: Address;
  readonly stackSize: number;
  /** A word by its place from the top, which is 0. */
  peek(place: number): bigint;
  /** A copy of all of the stack; the top is last. */
  stack(): bigint[];
  /** Memory of the frame, in whole words; not to be kept. */
  memory(): Uint8Array;
  /** Output of the frame's last call. */
  returned(): Uint8Array;
}

/** Follows execution. Undefined members cost nothing. */
export interface Hooks {
  enter?: ((frame: FrameStart) => void) | undefined;
  exit?: ((end: FrameEnd) => void) | undefined;
  step?: ((step: Step) => void) | undefined;
  /**
   * After an instruction, also a failed one.
   *
   * @param cost Everything that it took from the frame, with the part handed to a call but not to a creation. Where that
   * could not be paid, its known part.
   * @param error Undefined when it succeeded, otherwise geth's words.
   */
  stepped?: ((cost: number, error: string | undefined) => void) | undefined;
  log?: ((log: Log) => void) | undefined;
  /** A SELFDESTRUCT, before the balance moves. `depth` is that of the frame. */
  selfdestruct?: ((address: Address, beneficiary: Address, balance: bigint, depth: number) => void) | undefined;
}
