import type { Metrics } from '@switchyard/service';
import type { RollupChain } from './chain.ts';
import type { PendingTransactions } from './pending.ts';

/** Counts the chain's activity. */
export function observeChain(metrics: Metrics, chain: RollupChain, pending: PendingTransactions): void {
  const executed = metrics.counter('transactions_executed_total', 'transactions executed');
  const refused = metrics.counter('transactions_refused_total', 'transactions in blocks that were refused');
  const soft = metrics.gauge('soft_block_number', 'number of the soft block');
  const firm = metrics.gauge('firm_block_number', 'number of the firm block');
  const waiting = metrics.gauge('pending_transactions', 'transactions passed on and not yet executed');
  soft.set(Number(chain.view.soft));
  firm.set(Number(chain.view.firm));
  chain.onCommit((view, committed) => {
    for (const { receipts } of committed) {
      const good = receipts.filter(({ code }) => code === 0).length;
      executed.add(good);
      refused.add(receipts.length - good);
    }
    soft.set(Number(view.soft));
    firm.set(Number(view.firm));
    waiting.set(pending.size);
  });
}
