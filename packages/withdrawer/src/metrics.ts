import type { Metrics } from '@switchyard/service';
import type { Ledger } from './ledger.ts';
import type { Withdrawer } from './withdrawer.ts';

/** Numbers for operators, from which the alert rules are made. */
export function observe(
  metrics: Metrics,
  ledger: Pick<Ledger, 'open' | 'paid'>,
  withdrawer: Pick<Withdrawer, 'held' | 'longestWaitMs' | 'sheet'>,
): void {
  const open = metrics.gauge('open_withdrawals', 'withdrawals that are not known to be paid');
  const held = metrics.gauge('held_withdrawals', 'open withdrawals that cannot be paid now');
  const oldest = metrics.gauge(
    'oldest_open_seconds',
    'how long the oldest open withdrawal that is not held has been known to this run',
  );
  const paid = metrics.gauge('paid_withdrawals', 'withdrawals that are paid');
  const surplus = metrics.gauge(
    'surplus',
    'balance of the bridge account beyond all that it owes, in the smallest unit',
  );
  const balanced = metrics.gauge('balanced', '0 where the bridge account holds less than it owes');
  metrics.beforeText(() => {
    open.set(ledger.open.size);
    held.set(withdrawer.held);
    oldest.set(withdrawer.longestWaitMs / 1_000);
    paid.set(ledger.paid.count);
    // A gauge holds a floating-point number anyway.
    surplus.set(Number(withdrawer.sheet?.surplus ?? 0n));
    balanced.set(withdrawer.sheet?.isBalanced === false ? 0 : 1);
  });
}
