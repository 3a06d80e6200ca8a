import { type RollupId, txHashOf } from '@switchyard/protocol';
import { backoffMs, type Clock, isAbort, type Logger, Notifier, sleep } from '@switchyard/service';
import { Full, type Intake } from '../intake/intake.ts';
import type { Backlog } from '../queue/backlog.ts';
import { ONLY_QUEUED } from '../queue/copies.ts';
import type { Outcomes } from '../queue/outcomes.ts';
import { findKnown, type Ledger } from './ledger.ts';

/** A transaction on its way from an EVM node to the queue. */
export interface Taken {
  /** Keccak-256, as JSON-RPC writes it. */
  readonly hash: string;
  /** Its bytes; undefined if they must be fetched from the node. */
  readonly bytes: Uint8Array | undefined;
  /** Submit it although it was sequenced before. */
  readonly again: boolean;
}

/** `gone`: the node has it no longer. `unusable`: it never will be of use. */
export type Fetched = Uint8Array | 'gone' | 'unusable';

export interface NodeFeedDeps {
  readonly intake: Pick<Intake, 'accept' | 'refusal'>;
  readonly backlog: Pick<Backlog, 'find'>;
  readonly outcomes: Pick<Outcomes, 'find'>;
  readonly ledger: Ledger;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: () => number;
  /** The bytes of a transaction that the node has announced by hash only, as soon as it answers. */
  readonly fetch: (hash: string, signal: AbortSignal) => Promise<Fetched>;
}

const MAX_ITEMS = 20_000;
const MAX_BYTES = 32 * 1_048_576;
const BATCH_ITEMS = 256;
const BATCH_BYTES = 1_048_576;

/**
 * Brings transactions of EVM nodes through the composer's own intake, in the order in which they were shown. A full queue is waited
 * for; later ones that do not fit are left to the node, which lists them later.
 */
export class NodeFeed {
  readonly #rollup: RollupId;
  readonly #deps: NodeFeedDeps;
  readonly #arrived = new Notifier();
  #queue: Taken[] = [];
  #bytes = 0;
  #trouble: string | undefined;
  readonly counts = { submitted: 0, known: 0, unusable: 0 };

  constructor(rollup: RollupId, deps: NodeFeedDeps) {
    this.#rollup = rollup;
    this.#deps = deps;
  }

  /** Why nothing gets through; undefined when it does. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  add(taken: Taken): void {
    const bytes = taken.bytes?.length ?? 0;
    if (this.#queue.length >= MAX_ITEMS || this.#bytes + bytes > MAX_BYTES) {
      this.#deps.ledger.drop(taken.hash);
      return;
    }
    this.#queue.push(taken);
    this.#bytes += bytes;
    this.#arrived.notify();
  }

  /** Works until the signal aborts. @throws errors of the disk. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        while (this.#queue.length === 0) await this.#arrived.wait(signal);
        await this.#submit(await this.#ready(this.#take(), signal), signal);
      }
    } catch (error) {
      if (!isAbort(error, signal)) throw error;
    }
  }

  #take(): Taken[] {
    let count = 0;
    let bytes = 0;
    for (const taken of this.#queue) {
      const length = taken.bytes?.length ?? 0;
      if (count === BATCH_ITEMS || (count > 0 && bytes + length > BATCH_BYTES)) break;
      count += 1;
      bytes += length;
    }
    this.#bytes -= bytes;
    return this.#queue.splice(0, count);
  }

  /** Transactions of the batch that can be submitted and are not known, with their bytes. */
  async #ready(batch: readonly Taken[], signal: AbortSignal): Promise<Uint8Array[]> {
    const { intake, fetch, ledger, log } = this.#deps;
    const whole = await Promise.all(
      batch.map(async (taken) => ({ ...taken, bytes: taken.bytes ?? (await fetch(taken.hash, signal)) })),
    );
    return whole.flatMap(({ hash, bytes, again }) => {
      if (bytes === 'gone') ledger.drop(hash);
      if (typeof bytes === 'string') return [];
      const refusal = intake.refusal(bytes);
      if (refusal !== undefined) {
        this.counts.unusable += 1;
        // A node can show any number of them.
        const level = this.counts.unusable > 10 ? 'debug' : 'warn';
        log[level]({ transaction: hash, reason: refusal }, 'a pending transaction cannot be submitted');
        return [];
      }
      const submission = txHashOf(bytes);
      ledger.submitted(hash, submission);
      const known = findKnown(this.#deps, this.#rollup, submission);
      if (known === 'unknown' || (known === 'sequenced' && again)) return [bytes];
      this.counts.known += 1;
      return [];
    });
  }

  async #submit(batch: readonly Uint8Array[], signal: AbortSignal): Promise<void> {
    if (batch.length === 0) return;
    const { clock, intake, log, random } = this.#deps;
    for (let attempt = 1; ; attempt += 1) {
      try {
        // The ledger has settled earlier transactions.
        await intake.accept(this.#rollup, batch, ONLY_QUEUED);
        this.#trouble = undefined;
        this.counts.submitted += batch.length;
        return;
      } catch (error) {
        if (!(error instanceof Full)) throw error;
        if (this.#trouble === undefined)
          log.warn({ reason: error.message }, 'queue is full: pending transactions wait');
        this.#trouble = error.message;
        await sleep(backoffMs(attempt, { initialMs: 50, maxMs: 5_000 }, random), signal, clock);
      }
    }
  }
}
