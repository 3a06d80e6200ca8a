import type { FrameStart, Hooks } from '@switchyard/evm-machine/hooks';
import type { InternalCall } from '../chain/chain.ts';

/** Gas may buy many calls of nothing; of a transaction with more, only the first are kept. */
const MAX_CALLS = 10_000;

/** Collects the changes of balances and contracts inside a transaction. */
export class InternalCalls implements Hooks {
  readonly #calls: InternalCall[] = [];
  /** How many there were before each open frame: a failing frame removes the later ones. */
  readonly #marks: number[] = [];

  /** Undefined for nothing. */
  get calls(): readonly InternalCall[] | undefined {
    return this.#calls.length === 0 ? undefined : this.#calls;
  }

  readonly enter: NonNullable<Hooks['enter']> = ({ kind, depth, from, to, value }: FrameStart) => {
    this.#marks.push(this.#calls.length);
    if (depth === 0) return;
    if (kind === 'CREATE') this.#add({ kind: 'create', from, to, value, depth });
    else if (kind === 'CREATE2') this.#add({ kind: 'create2', from, to, value, depth });
    // The value of CALLCODE moves nowhere.
    else if (kind === 'CALL' && value > 0n) this.#add({ kind: 'call', from, to, value, depth });
  };

  readonly exit: NonNullable<Hooks['exit']> = ({ error }) => {
    const mark = this.#marks.pop();
    if (mark !== undefined && error !== undefined) this.#calls.length = mark;
  };

  readonly selfdestruct: NonNullable<Hooks['selfdestruct']> = (from, to, value, depth) => {
    this.#add({ kind: 'selfdestruct', from, to, value, depth: depth + 1 });
  };

  #add(call: InternalCall): void {
    if (this.#calls.length < MAX_CALLS) this.#calls.push(call);
  }
}
