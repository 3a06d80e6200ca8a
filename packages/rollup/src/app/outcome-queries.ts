import type { TransactionBlocks, TransactionOutcome } from '@switchyard/client/rollup';
import type { Snapshot } from '@switchyard/machine';
import { REJECTION_CODES, type TxHash } from '@switchyard/protocol';
import { anySignal, type Clock, sleep, withDeadline } from '@switchyard/service';
import { getNames } from './asset-names.ts';
import type { RollupChain } from './chain.ts';
import type { Collector, SubmissionState } from './collector.ts';
import type { RollupDefinition } from './definition.ts';
import { eventsAt } from './event-rows.ts';
import type { Outcome } from './outcomes.ts';
import type { PendingTransactions } from './pending.ts';
import { refusalRows } from './tables.ts';

export interface OutcomeDeps {
  readonly chain: RollupChain;
  readonly pending: PendingTransactions;
  readonly isUnclear: (hash: TxHash) => boolean;
  readonly definition: Pick<RollupDefinition, 'eventsJson' | 'refusalJson'>;
  readonly collector: Collector;
  readonly sequencerGenesisBlockHeight: bigint;
  /** Aborts when the node stops, which ends all waits. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** How long a question to the composer may take, and how often a waiting one is repeated. */
const ASK_MS = 2_000;
const MAX_WAITING = 10_000;

/** Answers the outcome of a transaction, at once or when it is decided. */
export class OutcomeQueries {
  readonly #deps: OutcomeDeps;
  readonly #waiting = new Map<TxHash, Set<() => void>>();
  #waitingCount = 0;

  constructor(deps: OutcomeDeps) {
    this.#deps = deps;
    deps.signal.addEventListener('abort', () => this.#wakeAll(), { once: true });
    let firm = deps.chain.view.firm;
    deps.chain.onCommit((view, committed) => {
      if (this.#waiting.size === 0) return;
      for (const { receipts } of committed) for (const { hash } of receipts) this.#wake(hash);
      if (view.firm === firm) return;
      firm = view.firm;
      this.#wakeAll();
    });
  }

  /** Asks the blocks, and the composer about transactions in no block. `undefined`: it is unknown. */
  async find(hash: TxHash, signal: AbortSignal, blocks?: TransactionBlocks): Promise<TransactionOutcome | undefined> {
    const decided = await this.#decided(hash, blocks);
    if (decided !== undefined) return decided;
    const submission = await this.#ask(hash, signal);
    // A block may have come while the composer was queried.
    const since = this.#recent(hash);
    if (since !== undefined) return since;
    switch (submission?.kind) {
      case 'refused':
        return { hash, state: 'refused', reason: submission.reason };
      case 'sequenced':
        return { hash, state: 'sequenced', sequencerHeight: submission.height };
      case 'queued':
      case 'bundled':
        return { hash, state: 'queued' };
      case undefined:
        // The composer may have been queried just before it took it, or be away.
        if (this.#deps.pending.get(hash) === undefined) return undefined;
        return { hash, state: this.#deps.isUnclear(hash) ? 'unclear' : 'queued' };
    }
  }

  /** Like `find`, but waits until the transaction is executed (or firm) or refused, at most until the deadline. */
  async wait(
    hash: TxHash,
    { until, timeoutMs }: { readonly until: 'executed' | 'firm'; readonly timeoutMs: number },
    signal: AbortSignal,
    blocks?: TransactionBlocks,
  ): Promise<TransactionOutcome | undefined> {
    const { signal: stopping } = this.#deps;
    const end = this.#deps.clock.now() + timeoutMs;
    let outcome = await this.#decided(hash, blocks);
    while (!isDecided(outcome, until)) {
      const left = end - this.#deps.clock.now();
      if (left <= 0 || signal.aborted || stopping.aborted || this.#waitingCount >= MAX_WAITING) break;
      const woken = await this.#nextChange(hash, Math.min(left, ASK_MS), signal);
      outcome = woken ? this.#recent(hash) : await this.find(hash, signal, blocks);
    }
    return outcome ?? this.find(hash, signal, blocks);
  }

  async #decided(hash: TxHash, blocks: TransactionBlocks | undefined): Promise<TransactionOutcome | undefined> {
    const { chain } = this.#deps;
    const { soft } = chain.view;
    const found = this.#describe(hash, await chain.outcomes.find(() => chain.view.snapshot, hash));
    // If the first ones are deleted, it may have been in one of those.
    const isOver = blocks !== undefined && blocks.last <= soft && chain.view.lowest <= blocks.first;
    return found ?? (isOver ? { hash, state: 'expired' } : undefined);
  }

  #recent(hash: TxHash): TransactionOutcome | undefined {
    return this.#describe(hash, this.#deps.chain.outcomes.recent(hash));
  }

  #describe(hash: TxHash, outcome: Outcome | undefined): TransactionOutcome | undefined {
    if (outcome === undefined) return undefined;
    const { chain, sequencerGenesisBlockHeight } = this.#deps;
    const { block, index, code } = outcome;
    const getName = getNames(chain.view.snapshot);
    const place = { hash, sequencerHeight: sequencerGenesisBlockHeight + block, block, index };
    if (code === 0) {
      const { eventsJson } = this.#deps.definition;
      const emitted = eventsJson && eventsAt(chain.view.snapshot, block, index);
      return {
        ...place,
        state: block <= chain.view.firm ? 'firm' : 'executed',
        ...(emitted && { events: eventsJson(emitted, getName) }),
      };
    }
    return { ...place, state: 'refused', ...refusalAt(chain.view.snapshot, this.#deps.definition, outcome) };
  }

  /** @returns whether a block, rather than the clock, ended the wait. */
  async #nextChange(hash: TxHash, ms: number, signal: AbortSignal): Promise<boolean> {
    const waiters = this.#waiting.get(hash) ?? new Set();
    this.#waiting.set(hash, waiters);
    this.#waitingCount += 1;
    const given = new AbortController();
    const ended = anySignal(signal, given.signal);
    let wake = (): void => undefined;
    const changed = new Promise<boolean>((resolve) => {
      wake = () => resolve(true);
      waiters.add(wake);
    });
    try {
      const late = sleep(ms, ended, this.#deps.clock).then(
        () => false,
        () => false,
      );
      return await Promise.race([changed, late]);
    } finally {
      given.abort();
      this.#waitingCount -= 1;
      waiters.delete(wake);
      if (waiters.size === 0) this.#waiting.delete(hash);
    }
  }

  #wake(hash: TxHash): void {
    for (const wake of this.#waiting.get(hash) ?? []) wake();
  }

  #wakeAll(): void {
    for (const hash of this.#waiting.keys()) this.#wake(hash);
  }

  async #ask(hash: TxHash, signal: AbortSignal): Promise<SubmissionState | undefined> {
    try {
      return await withDeadline({ ms: ASK_MS, signal }, (limited) => this.#deps.collector.submission(hash, limited));
    } catch {
      // A composer that is away knows nothing; transactions passed on by this node are answered without it.
      return undefined;
    }
  }
}

/** Why a transaction was refused, as far as the node keeps it. */
export function refusalAt(
  snapshot: Snapshot,
  { refusalJson }: Pick<RollupDefinition, 'refusalJson'>,
  { block, index, code }: Outcome,
) {
  const recorded = refusalRows.get(snapshot, block)?.find((refusal) => refusal.index === index);
  const refusal = refusalJson?.(code, recorded?.facts, getNames(snapshot));
  return { code, reason: recorded?.message ?? refusal?.kind ?? getReason(code), ...(refusal && { refusal }) };
}

function isDecided(outcome: TransactionOutcome | undefined, until: 'executed' | 'firm'): boolean {
  if (outcome === undefined) return false;
  const { state } = outcome;
  return state === 'refused' || state === 'expired' || state === 'firm' || state === until;
}

function getReason(code: number): string {
  const found = Object.entries(REJECTION_CODES).find(([, each]) => each === code);
  return found?.[0].replaceAll('-', ' ') ?? `code ${code}`;
}
