import type { Logger, Metrics } from '@switchyard/service';
import type { AppObserver } from './app/application.ts';

/** Turns events of the application into log lines and numbers. */
export function observeApplication(log: Logger, metrics: Metrics): AppObserver {
  const checked = metrics.counter('check_tx_total', 'Transactions checked at intake, by code (0: accepted).', {
    labels: ['code'],
  });
  const dropped = metrics.counter(
    'mempool_failed_total',
    'Waiting transactions dropped because their execution failed.',
  );
  const rejected = metrics.counter('proposals_rejected_total', 'Proposed blocks that break a rule.');
  const height = metrics.gauge('block_height', 'Height of the last committed block.');
  const transactions = metrics.counter('transactions_total', 'Transactions in committed blocks.');
  const bytes = metrics.counter('block_bytes_total', 'Bytes of all entries of committed blocks.');
  const pending = metrics.gauge('mempool_pending_transactions', 'Transactions that can go into the next block.');
  const parked = metrics.gauge('mempool_parked_transactions', 'Transactions that wait for a lower nonce or for money.');
  const poolBytes = metrics.gauge('mempool_bytes', 'Bytes of all waiting transactions.');
  return {
    checked(verdict) {
      checked.add(1, { code: String(verdict.code) });
      if (verdict.code !== 0) {
        log.debug({ hash: verdict.hash, code: verdict.code, why: verdict.log }, 'transaction refused');
      }
    },
    failed(hash, why) {
      dropped.add();
      log.warn({ hash, why }, 'waiting transaction failed and was dropped');
    },
    rejected(at, why) {
      rejected.add();
      log.warn({ height: at, why }, 'proposal rejected');
    },
    committed(block, pool) {
      height.set(Number(block.height));
      // The first two entries are the roots.
      transactions.add(block.txs.length - 2);
      bytes.add(block.txs.reduce((sum, { length }) => sum + length, 0));
      pending.set(pool.pendingCount);
      parked.set(pool.count - pool.pendingCount);
      poolBytes.set(pool.bytes);
      log.debug({ height: block.height, txs: block.txs.length - 2, waiting: pool.count }, 'block committed');
    },
  };
}
