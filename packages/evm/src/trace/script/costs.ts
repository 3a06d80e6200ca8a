import type { Budget } from '../budget.ts';
import type { Tracer } from '../tracer.ts';

/** Bytes of one cost, and of one error. */
const COST_BYTES = 8;
const ERROR_BYTES = 100;

/**
 * Costs of all instructions of one execution, in order. A script is given the cost of an instruction before it runs, when
 * it is not known yet: so the followed calls are run twice.
 */
export class StepCosts implements Tracer<void> {
  readonly #budget: Budget;
  readonly #costs: number[] = [];
  readonly #errors = new Map<number, string>();
  #next = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  stepped(cost: number, error: string | undefined): void {
    this.#budget.take(error === undefined ? COST_BYTES : ERROR_BYTES);
    if (error !== undefined) this.#errors.set(this.#costs.length, error);
    this.#costs.push(cost);
  }

  result(): void {}

  /** Cost of the instruction that is next in the second run. */
  next(): { readonly cost: number; readonly error: string | undefined } {
    const at = this.#next;
    this.#next += 1;
    return { cost: this.#costs[at] ?? 0, error: this.#errors.get(at) };
  }
}
