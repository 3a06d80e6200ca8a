import { findAuthority } from '@switchyard/evm-machine/delegation';
import { StateOverlay } from '@switchyard/evm-machine/overlay';
import { beginTransaction } from '../embedded/apply.ts';
import type { Candidate } from '../embedded/entries.ts';
import { type BlockEnvironment, type CallContext, machineOn } from '../embedded/environment.ts';
import { beforeTransactions } from '../embedded/system-calls.ts';
import { BEACON_ROOTS_ADDRESS } from '../genesis/file.ts';
import { accountIn } from '../pool/embedded-chain.ts';
import { BlockGas } from '../rules/block-gas.ts';
import { readyMachine } from '../rules/ready.ts';
import { HISTORY_ADDRESS } from '../rules/system-contracts.ts';
import type { Settled } from './decide.ts';
import { RemoteState, type StateSource } from './remote-state.ts';

/**
 * Executes a block in progress by the rules of the embedded back end, over the state of another process. Each candidate
 * is executed once, and state is fetched when touched, so the block's gas bounds both.
 */
export class EvmProber {
  readonly #block: BlockEnvironment;
  readonly #remote: RemoteState;
  readonly #state: StateOverlay;
  readonly #machine: CallContext;
  #done = 0;
  readonly #gas: BlockGas;

  constructor(chainId: bigint, block: BlockEnvironment, source: StateSource) {
    this.#block = block;
    this.#gas = new BlockGas(block.fork, block.gasLimit);
    this.#remote = new RemoteState(source);
    this.#state = new StateOverlay(this.#remote);
    this.#machine = machineOn(block, { chainId, state: this.#state, direct: true });
  }

  /** @param included Begins with the earlier set. */
  async settle(included: readonly Candidate[]): Promise<Settled> {
    if (this.#done === 0) await this.#begin();
    for (const candidate of included.slice(this.#done)) {
      await this.#apply(candidate);
      this.#done += 1;
    }
    const accounts = new Map(
      [...this.#state.accounts].map(([address, account]) => [address, accountIn(this.#state, account)]),
    );
    const { execution: gasUsed, state: stateGasUsed } = this.#gas;
    return { gasUsed, stateGasUsed, accounts };
  }

  async #begin(): Promise<void> {
    const touched = [BEACON_ROOTS_ADDRESS, HISTORY_ADDRESS, this.#block.coinbase];
    await Promise.all(touched.map((address) => this.#remote.prepare(address)));
    await readyMachine();
    await this.#remote.reading(() => beforeTransactions(this.#machine, this.#block));
  }

  async #apply({ tx, from }: Candidate): Promise<void> {
    const authorities = (tx.authorizations ?? []).flatMap((each) => findAuthority(each) ?? []);
    const touched = [from, ...(tx.to === undefined ? [] : [tx.to]), ...authorities];
    await Promise.all(touched.map((address) => this.#remote.prepare(address)));
    const { gasLeft, stateGasLeft } = this.#gas;
    const left = { gasLeft, stateGasLeft, bytesLeft: Number.POSITIVE_INFINITY };
    const begun = await this.#remote.reading(() => beginTransaction(tx, from, { ...this.#machine, ...left }));
    const outcome = 'run' in begun ? await this.#remote.reading(() => begun.run()) : begun;
    if ('code' in outcome) throw new Error(`transaction ${tx.hash} was taken to apply, but: ${outcome.reason}`);
    this.#gas.add(outcome.blockGas);
  }
}
