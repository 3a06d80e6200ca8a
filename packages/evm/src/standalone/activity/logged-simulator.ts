import { JsonRpcError } from '@switchyard/service';
import { CODES } from '../../json/errors.ts';
import { callOutcome, EvmSimulator, type SimulatorConfig, type SimulatorDeps } from '../../simulate/evm-simulator.ts';
import type { CallBlock, CallRequest, Overrides } from '../../simulate/simulator.ts';
import type { Activity } from './activity.ts';
import { Followed } from './followed.ts';

/** Logs the calls that it runs, and the estimates that a contract refuses. */
export class LoggedSimulator extends EvmSimulator {
  readonly #activity: Activity;

  constructor(config: SimulatorConfig, deps: SimulatorDeps, activity: Activity) {
    super(config, deps);
    this.#activity = activity;
  }

  override call(request: CallRequest, block: CallBlock, overrides: Overrides = {}) {
    if (!this.#activity.isEnabled) return super.call(request, block, overrides);
    return this.#followed('call', request, block, overrides);
  }

  override async estimateGas(request: CallRequest, item: CallBlock, overrides: Overrides = {}): Promise<bigint> {
    // The transaction that gas is estimated for will be in the next block, whose time a test may have set.
    const block = item === this.deps.chain.heads.latest ? 'pending' : item;
    try {
      return await super.estimateGas(request, block, overrides);
    } catch (error) {
      // Runs once more for the lines that it prints: the search has run it many times.
      if (this.#activity.isEnabled && error instanceof JsonRpcError && error.code === CODES.reverted)
        await this.#followed('gas estimate', request, block, overrides);
      throw error;
    }
  }

  async #followed(what: 'call' | 'gas estimate', request: CallRequest, block: CallBlock, overrides: Overrides) {
    const followed = new Followed();
    const { outcome } = await this.traced(request, block, overrides, () => followed);
    this.#activity.call(what, followed, { to: request.to, gasUsed: outcome.gasUsed });
    return callOutcome(outcome);
  }
}
