import type { Hash } from '@switchyard/evm-machine/types';
import { defer } from '@switchyard/service';
import type { HeldRecord, OutcomeRecord, PoolStore } from './deps.ts';

interface Batch {
  readonly hold: Map<Hash, HeldRecord>;
  readonly release: Set<Hash>;
  readonly outcomes: Map<Hash, OutcomeRecord>;
  readonly forgetOutcomes: Set<Hash>;
  readonly written: Promise<void>;
}

/** Writes changes that must outlive a restart: all of one turn of the event loop in one transaction. */
export class PoolJournal {
  readonly #store: PoolStore;
  readonly #onFailure: (error: unknown) => void;
  #batch: (Batch & { readonly settle: (error?: unknown) => void }) | undefined;

  /** @param onFailure Also called for failed writes without a waiter. */
  constructor(store: PoolStore, onFailure: (error: unknown) => void) {
    this.#store = store;
    this.#onFailure = onFailure;
  }

  /** Resolves when it is on disk. @throws errors of the disk. */
  hold(record: HeldRecord): Promise<void> {
    const batch = this.#open();
    batch.release.delete(record.hash);
    batch.hold.set(record.hash, record);
    return batch.written;
  }

  release(hash: Hash): void {
    const batch = this.#open();
    batch.hold.delete(hash);
    batch.release.add(hash);
  }

  outcome(record: OutcomeRecord, forgotten: readonly Hash[]): void {
    const batch = this.#open();
    batch.outcomes.set(record.hash, record);
    batch.forgetOutcomes.delete(record.hash);
    for (const hash of forgotten) {
      batch.outcomes.delete(hash);
      batch.forgetOutcomes.add(hash);
    }
  }

  /** Writes the waiting changes. */
  flush(): void {
    const batch = this.#batch;
    if (batch === undefined) return;
    this.#batch = undefined;
    try {
      this.#store.change({
        hold: [...batch.hold.values()],
        release: [...batch.release],
        outcomes: [...batch.outcomes.values()],
        forgetOutcomes: [...batch.forgetOutcomes],
      });
      batch.settle();
    } catch (error) {
      batch.settle(error);
      this.#onFailure(error);
    }
  }

  #open(): Batch {
    if (this.#batch !== undefined) return this.#batch;
    let settle: (error?: unknown) => void = () => undefined;
    const written = new Promise<void>((resolve, reject) => {
      settle = (error) => (error === undefined ? resolve() : reject(error));
    });
    // A waiter gets the error; without one, `onFailure` has reported it.
    written.catch(() => undefined);
    this.#batch = {
      hold: new Map(),
      release: new Set(),
      outcomes: new Map(),
      forgetOutcomes: new Set(),
      written,
      settle,
    };
    defer(() => this.flush());
    return this.#batch;
  }
}
