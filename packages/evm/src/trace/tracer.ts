import type {
  FrameStart as CallStart,
  FrameEnd,
  Hooks,
  FrameKind as KindOfCall,
  Step,
} from '@switchyard/evm-machine/hooks';
import type { StateReader } from '@switchyard/evm-machine/state';
import type { Address } from '@switchyard/evm-machine/types';
import type { Outcome } from '@switchyard/evm-machine/values';

export type { FrameEnd, Step };

export type FrameKind = KindOfCall | 'SELFDESTRUCT';

/** A call, a creation or a self-destruction, as it begins. */
export interface FrameStart extends Omit<CallStart, 'kind' | 'address' | 'value'> {
  readonly kind: FrameKind;
  /** Address whose code was called; for a creation the new contract, for a self-destruction the beneficiary. */
  readonly to: Address;
  /** Wei; for a DELEGATECALL the value of the calling frame; undefined for STATICCALL. */
  readonly value: bigint | undefined;
}

/** Facts that a tracer needs before the transaction begins. */
export interface TraceStart {
  readonly from: Address;
  /** Undefined for a creation. */
  readonly to: Address | undefined;
  readonly coinbase: Address;
  /** Live: answers with the changes of the transaction so far. */
  readonly state: StateReader;
}

/** Follows one transaction. Undefined members cost nothing. */
export interface Tracer<T = unknown> extends Pick<Hooks, 'exit' | 'step' | 'stepped' | 'log'> {
  start?(start: TraceStart): void;
  enter?: ((frame: FrameStart) => void) | undefined;
  /** The JSON to answer. */
  result(outcome: Outcome): T;
}

/** Hooks for the interpreter, to which a self-destruction is no frame. */
export function toHooks(tracer: Tracer): Hooks {
  const { enter, exit, step, stepped, log } = tracer;
  return {
    enter:
      enter &&
      (({ value, ...frame }) =>
        enter.call(tracer, { ...frame, value: frame.kind === 'STATICCALL' ? undefined : value })),
    exit: exit?.bind(tracer),
    step: step?.bind(tracer),
    stepped: stepped?.bind(tracer),
    log: log?.bind(tracer),
    selfdestruct(from, to, value, depth) {
      enter?.call(tracer, { kind: 'SELFDESTRUCT', depth: depth + 1, from, to, value, ...NOTHING });
      exit?.call(tracer, { output: NO_BYTES, gasUsed: 0, error: undefined });
    },
  };
}

const NO_BYTES = new Uint8Array();
const NOTHING = { input: NO_BYTES, gas: 0, precompile: false };
