import type { Metrics } from '@switchyard/service';
import type { Ledger } from './ledger.ts';
import type { Withdrawer } from './withdrawer.ts';

/** Numbers for operators, from which the alert rules are made. */
export function observe(metrics: Metrics, ledger: Ledger, withdrawer: Withdrawer): void {
  const open = metrics.gauge('open_withdrawals', 'withdrawals that are not known to be paid');
  const held = metrics.gauge('held_withdrawals', 'open ones that cannot be paid now');
  const paid = metrics.gauge('paid_withdrawals', 'withdrawals that are paid');
  const surplus = metrics.gauge(
    'surplus',
    'balance of the bridge account beyond all that it owes, in the smallest unit',
  );
  const balanced = metrics.gauge('balanced', '0 where the bridge account holds less than it owes');
  metrics.beforeText(() => {
    open.set(ledger.open.size);
    held.set(withdrawer.held);
    paid.set(ledger.paid.count);
    // A gauge holds a floating-point number anyway.
    surplus.set(Number(withdrawer.sheet?.surplus ?? 0n));
    balanced.set(withdrawer.sheet?.isBalanced === false ? 0 : 1);
  });
}
