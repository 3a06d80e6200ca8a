import { type Clock, isAbort, type Logger, sleep, withDeadline } from '@switchyard/service';
import type { RollupChain } from './chain.ts';
import type { Collector, SubmissionState } from './collector.ts';
import type { Intake } from './intake.ts';
import type { PendingTransactions } from './pending.ts';

export interface SweepDeps {
  readonly chain: RollupChain;
  readonly pending: PendingTransactions;
  readonly collector: Collector;
  readonly sequencerGenesisBlockHeight: bigint;
  readonly intake: Pick<Intake, 'isUnderWay' | 'release' | 'resendUnclear'>;
  readonly clock: Clock;
  readonly log: Logger;
}

const EVERY_MS = 5_000;
const OLD_MS = 20_000;
/** A transaction may be lost if a composer that is unreachable has not brought it into a block in this time. */
const LOST_AFTER_MS = 120_000;
const AT_A_TIME = 64;
const ASK_MS = 2_000;

/** Asks the composer about transactions that take long, and drops transactions that will be in no block. Resends unclear ones. */
export async function sweepPending(deps: SweepDeps, signal: AbortSignal): Promise<void> {
  const { chain, pending, collector, clock, log, intake } = deps;
  try {
    for (;;) {
      await sleep(EVERY_MS, signal, clock);
      intake.resendUnclear();
      const old = clock.now() - (collector.detectsCopies ? OLD_MS : LOST_AFTER_MS);
      const wanted = [...pending.values()]
        .filter(({ transaction, since }) => since < old && !intake.isUnderWay(transaction.hash))
        .slice(0, AT_A_TIME);
      for (const { transaction } of wanted) {
        const { hash } = transaction;
        let state: SubmissionState | undefined;
        try {
          state = await withDeadline({ ms: ASK_MS, signal }, (limited) => collector.submission(hash, limited));
        } catch {
          // It is unreachable: the forwarder logs that, and the next sweep tries again.
          break;
        }
        const executedTo = deps.sequencerGenesisBlockHeight + chain.view.soft;
        if (!isOver(state, executedTo)) continue;
        intake.release(hash);
        log[collector.detectsCopies ? 'debug' : 'warn'](
          { transaction: hash, composer: state?.kind ?? 'unknown' },
          'a pending transaction is let go',
        );
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
