import { ExecutorAway } from '@switchyard/rollup/execution';
import { type Clock, errorLine, isAbort, sleep } from '@switchyard/service';
import type { ForkSchedule } from '../rules/forks.ts';
import { type BlockName, NotTaken } from './geth.ts';
import { type HealContext, heal } from './heal.ts';
import { LinkLost } from './link.ts';
import { checkClient, Unusable } from './suitable.ts';

export interface ContactDeps extends Omit<HealContext, 'report'> {
  readonly forks: ForkSchedule;
  /** Gas limit of every block. */
  readonly gasLimit: bigint;
  readonly clock: Clock;
  /** How long a call waits for a client that went away, before the conductor is notified to retry. */
  readonly patienceMs?: number;
  /** Called whenever geth may have been replaced in the meantime. */
  readonly onLost: () => void;
}

const PATIENCE_MS = 15_000;
const PAUSE_MS = 250;
/** Between probes of an idle client. */
const LOOK_MS = 2_000;

/**
 * Keeps a geth fit for work: the right program, the same chain, and all blocks that are committed here. All
 * calls to it go through here, so that calls to a killed geth are repeated when it is back.
 */
export class GethContact {
  readonly #deps: ContactDeps;
  #ready = false;
  #preparing: Promise<void> | undefined;
  #trouble: string | undefined = 'not yet reached';
  /** Why the last block could not be made; the same block is tried again on request. */
  #halted: string | undefined;
  /** Geth's head, unless something else moves it. */
  #head: BlockName | undefined;

  constructor(deps: ContactDeps) {
    this.#deps = deps;
  }

  /** Why geth cannot be worked with now; undefined when it can. */
  get trouble(): string | undefined {
    return this.#halted ?? this.#trouble;
  }

  /**
   * Runs `work`, and again from its beginning if geth went away in the middle: it must bear that.
   *
   * @throws {ExecutorAway} if geth does not come back in time.
   */
  async during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, signal, patienceMs = PATIENCE_MS } = this.#deps;
    const until = clock.now() + patienceMs;
    for (;;) {
      try {
        await this.#prepare();
        const result = await work(signal);
        this.#halted = undefined;
        return result;
      } catch (error) {
        if (!isPassing(error)) {
          this.#halted = signal.aborted ? undefined : errorLine(error);
          throw error;
        }
        this.#lost(error);
        if (error instanceof Unusable || clock.now() >= until)
          throw new ExecutorAway(`the execution client cannot be used: ${errorLine(error)}`, { cause: error });
        await sleep(PAUSE_MS, signal, clock);
      }
    }
  }

  /** Makes a block that geth knows its head. */
  async moveHead(to: BlockName, finalized: BlockName['hash']): Promise<void> {
    const { geth, signal } = this.#deps;
    if (this.#head?.hash === to.hash) return;
    this.#head = undefined;
    await geth.moveHead(to, finalized, signal);
    this.#head = to;
  }

  /** Records the head that `forkchoice` has set. */
  headIs(head: BlockName | undefined): void {
    this.#head = head;
  }

  /**
   * Looks after geth until the signal aborts.
   *
   * @throws {Unusable} if this geth can never be worked with.
   */
  async work(): Promise<void> {
    const { geth, log, clock, signal } = this.#deps;
    let warned = false;
    try {
      for (;;) {
        try {
          await this.#prepare();
          if (warned) log.info({ target: geth.target }, 'execution client connected');
          warned = false;
          await sleep(LOOK_MS, signal, clock);
          await geth.call('eth_chainId', [], { signal });
        } catch (error) {
          if (isPassing(error)) this.#lost(error);
          if (error instanceof Unusable || !isPassing(error)) throw error;
          if (!warned)
            log.warn(
              { target: geth.target, error: errorLine(error) },
              'waiting for the execution client; no block is executed until it responds',
            );
          warned = true;
          await sleep(PAUSE_MS * 2, signal, clock);
        }
      }
    } catch (error) {
      if (!isAbort(error, signal)) throw error;
    }
  }

  async #prepare(): Promise<void> {
    if (this.#ready) return;
    this.#preparing ??= this.#heal().finally(() => {
      this.#preparing = undefined;
    });
    await this.#preparing;
  }

  async #heal(): Promise<void> {
    const { geth, chain, log, forks, gasLimit, signal, onLost } = this.#deps;
    this.#head = undefined;
    onLost();
    const first = chain.header(0n);
    if (first === undefined) throw new Error('the chain has no block 0');
    await checkClient({ geth, chainId: chain.chainId, first, forks, gasLimit, signal });
    const report = (text: string) => {
      this.#trouble = text;
    };
    this.#head = await heal({ geth, chain, log, report, signal });
    this.#trouble = undefined;
    this.#ready = true;
  }

  #lost(error: unknown): void {
    this.#ready = false;
    this.#head = undefined;
    this.#trouble = errorLine(error);
  }
}

/** Whether another attempt may succeed. */
function isPassing(error: unknown): boolean {
  return error instanceof LinkLost || error instanceof NotTaken || error instanceof Unusable;
}
