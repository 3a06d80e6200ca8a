import type { Common } from '@ethereumjs/common';
import { applyTransaction } from '../embedded/apply.ts';
import { storeBeaconRoot } from '../embedded/beacon-roots.ts';
import type { Candidate } from '../embedded/entries.ts';
import type { BlockEnvironment } from '../embedded/environment.ts';
import { Interpreter } from '../embedded/interpreter.ts';
import { BEACON_ROOTS_ADDRESS } from '../genesis-file.ts';
import { StateOverlay } from '../state/overlay.ts';
import type { Settled } from './decide.ts';
import { RemoteState, RemoteStateManager, type StateSource } from './remote-state.ts';

/**
 * Executes a block in progress by the rules of the embedded back end, over the state of another process. Each candidate
 * is executed once, and state is fetched as it is touched, so the block's gas bounds both.
 */
export class EvmProber {
  readonly #block: BlockEnvironment;
  readonly #remote: RemoteState;
  readonly #state: StateOverlay;
  readonly #interpreter: Interpreter;
  #done = 0;
  #gasUsed = 0n;

  constructor(rules: Common, block: BlockEnvironment, source: StateSource) {
    this.#block = block;
    this.#remote = new RemoteState(source);
    this.#state = new StateOverlay(this.#remote);
    this.#interpreter = new Interpreter(rules, this.#state, block, {
      managerOf: (state) => new RemoteStateManager(state, this.#remote),
    });
  }

  /** @param included Begins with what it was before. */
  async settle(included: readonly Candidate[]): Promise<Settled> {
    if (this.#done === 0) await this.#begin();
    for (const candidate of included.slice(this.#done)) {
      await this.#apply(candidate);
      this.#done += 1;
    }
    const balances = new Map([...this.#state.accounts].map(([address, account]) => [address, account?.balance ?? 0n]));
    return { gasUsed: this.#gasUsed, balances };
  }

  async #begin(): Promise<void> {
    await Promise.all([BEACON_ROOTS_ADDRESS, this.#block.coinbase].map((address) => this.#remote.prepare(address)));
    await storeBeaconRoot(this.#state, this.#block, this.#interpreter, true);
  }

  async #apply({ tx, from }: Candidate): Promise<void> {
    await Promise.all([from, ...(tx.to === undefined ? [] : [tx.to])].map((address) => this.#remote.prepare(address)));
    const gasLeft = this.#block.gasLimit - this.#gasUsed;
    const context = { state: this.#state, block: this.#block, gasLeft, interpreter: this.#interpreter, direct: true };
    const outcome = await applyTransaction(tx, from, context);
    if ('code' in outcome) throw new Error(`transaction ${tx.hash} was taken to apply, but: ${outcome.reason}`);
    this.#gasUsed += outcome.gasUsed;
  }
}
