import type { Outcome } from '../simulate/evm-message.ts';
import type { StateReader } from '../state/state.ts';
import type { Address } from '../types.ts';
import type { Around } from './opcodes.ts';

export type FrameKind = 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL' | 'CREATE' | 'CREATE2' | 'SELFDESTRUCT';

/** A call, a creation or a self-destruction, as it begins. */
export interface FrameStart {
  readonly kind: FrameKind;
  /** 0 for the transaction itself. */
  readonly depth: number;
  /** The contract that calls, also for DELEGATECALL. */
  readonly from: Address;
  /** Whose code runs; of a creation the new contract; of a self-destruction who gets the balance. */
  readonly to: Address;
  /** Of a DELEGATECALL what the calling frame came with; undefined for STATICCALL. */
  readonly value: bigint | undefined;
  readonly input: Uint8Array;
  readonly gas: bigint;
  /** Whether `to` is a precompiled contract. */
  readonly precompile: boolean;
}

export interface FrameEnd {
  /** What was returned, also by REVERT; of a creation the code. */
  readonly output: Uint8Array;
  readonly gasUsed: bigint;
  /** Undefined when it succeeded, otherwise geth's words. */
  readonly error: string | undefined;
}

/** What a tracer needs to know before the transaction begins. */
export interface TraceStart {
  readonly from: Address;
  /** Undefined for a creation. */
  readonly to: Address | undefined;
  readonly coinbase: Address;
  /** Live: answers with what the transaction has changed so far. */
  readonly state: StateReader;
}

/** One opcode, before it runs. */
export interface Step {
  readonly pc: number;
  readonly opcode: number;
  readonly name: string;
  /** Left to the frame. */
  readonly gas: bigint;
  /** Everything it takes from the frame, with what it hands to a call. */
  readonly cost: bigint;
  readonly refund: bigint;
  /** 0 for the code that the transaction calls. */
  readonly depth: number;
  /** Whose storage it works on. */
  readonly address: Address;
  /** The top is last. */
  readonly stack: readonly bigint[];
  /** In whole words. */
  readonly memory: Uint8Array;
}

/** Follows one transaction. Whatever it does not define costs nothing. */
export interface Tracer<T = unknown> {
  start?(start: TraceStart): void;
  /** Around these opcodes, once their gas is paid. */
  readonly opcodes?: ReadonlyMap<number, Around>;
  enter?: ((frame: FrameStart) => void) | undefined;
  exit?: ((end: FrameEnd) => void) | undefined;
  step?: ((step: Step) => void) | undefined;
  /** The JSON to answer. */
  result(outcome: Outcome): T;
}
