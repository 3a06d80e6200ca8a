import type { TxHash } from '@switchyard/protocol';
import { type Clock, isAbort, type Logger, sleep, withDeadline } from '@switchyard/service';
import type { RollupChain } from './chain.ts';
import type { Collector, SubmissionState } from './collector.ts';
import type { RollupAction } from './definition.ts';
import type { PendingTransactions } from './pending.ts';

export interface SweepDeps<A extends RollupAction, E> {
  readonly chain: RollupChain<A, E>;
  readonly pending: PendingTransactions<A>;
  readonly collector: Collector;
  readonly sequencerGenesisBlockHeight: bigint;
  readonly isUnderWay: (hash: TxHash) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

const EVERY_MS = 5_000;
const OLD_MS = 20_000;
const AT_A_TIME = 64;
const ASK_MS = 2_000;

/** Asks the composer about transactions that take long, and lets go of those that will never be in a block. */
export async function sweepPending<A extends RollupAction, E>(
  deps: SweepDeps<A, E>,
  signal: AbortSignal,
): Promise<void> {
  const { chain, pending, collector, clock, log, isUnderWay } = deps;
  try {
    for (;;) {
      await sleep(EVERY_MS, signal, clock);
      const old = clock.now() - OLD_MS;
      const asked = [...pending.values()]
        .filter(({ transaction, since }) => since < old && !isUnderWay(transaction.hash))
        .slice(0, AT_A_TIME);
      for (const { transaction } of asked) {
        const { hash } = transaction;
        let state: SubmissionState | undefined;
        try {
          state = await withDeadline({ ms: ASK_MS, signal }, (limited) => collector.submission(hash, limited));
        } catch {
          // It is away; the forwarder says so, and there is a next time.
          break;
        }
        const executedTo = deps.sequencerGenesisBlockHeight + chain.view.soft;
        if (!isOver(state, executedTo)) continue;
        pending.release(hash);
        log.debug({ transaction: hash, composer: state?.kind ?? 'unknown' }, 'a pending transaction is let go');
      }
    }
  } catch (error) {
    if (!isAbort(error, signal)) throw error;
  }
}

/** Whether no block to come can hold it. */
function isOver(state: SubmissionState | undefined, executedTo: bigint): boolean {
  if (state === undefined || state.kind === 'refused') return true;
  return state.kind === 'sequenced' && state.height <= executedTo;
}
