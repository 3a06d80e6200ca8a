import { type ApplyContext, applyTransaction } from '../embedded/apply.ts';
import { storeBeaconRoot } from '../embedded/beacon-roots.ts';
import type { Candidate } from '../embedded/entries.ts';
import type { BlockEnvironment } from '../embedded/environment.ts';
import { BEACON_ROOTS_ADDRESS } from '../genesis-file.ts';
import type { Fork } from '../interpreter/fork.ts';
import { pauseEvery, TURN_MS } from '../pause.ts';
import { readyPrecompiles } from '../precompiles/contract.ts';
import { StateOverlay } from '../state/overlay.ts';
import type { Settled } from './decide.ts';
import { RemoteState, type StateSource } from './remote-state.ts';

/**
 * Executes a block in progress by the rules of the embedded back end, over the state of another process. Each candidate
 * is executed once, and state is fetched as it is touched, so the block's gas bounds both.
 */
export class EvmProber {
  readonly #block: BlockEnvironment;
  readonly #remote: RemoteState;
  readonly #state: StateOverlay;
  readonly #context: Omit<ApplyContext, 'gasLeft'>;
  #done = 0;
  #gasUsed = 0n;

  constructor(rules: { readonly fork: Fork; readonly chainId: bigint }, block: BlockEnvironment, source: StateSource) {
    this.#block = block;
    this.#remote = new RemoteState(source);
    this.#state = new StateOverlay(this.#remote);
    const turns = { pause: pauseEvery(TURN_MS), fetch: (error: unknown) => this.#remote.fetch(error) };
    this.#context = { ...rules, ...turns, state: this.#state, block, direct: true };
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
    await readyPrecompiles();
    await storeBeaconRoot(this.#context);
  }

  async #apply({ tx, from }: Candidate): Promise<void> {
    await Promise.all([from, ...(tx.to === undefined ? [] : [tx.to])].map((address) => this.#remote.prepare(address)));
    const gasLeft = this.#block.gasLimit - this.#gasUsed;
    const outcome = await applyTransaction(tx, from, { ...this.#context, gasLeft });
    if ('code' in outcome) throw new Error(`transaction ${tx.hash} was taken to apply, but: ${outcome.reason}`);
    this.#gasUsed += outcome.gasUsed;
  }
}
