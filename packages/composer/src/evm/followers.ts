import type { Metrics } from '@switchyard/service';
import { Follower, type FollowerDeps } from './follower.ts';
import type { RollupEntry } from './rollup-entry.ts';

/** Follows the nodes of all entries. */
export function createFollowers(entries: readonly RollupEntry[], deps: FollowerDeps) {
  const followers = entries.map((entry) => new Follower(entry, deps));
  return {
    status: () => followers.map((each) => each.status()),
    async run(signal: AbortSignal): Promise<void> {
      await Promise.all(followers.map((each) => each.run(signal)));
    },
    /** Shows their numbers. */
    observe(metrics: Metrics): void {
      const labels = ['rollup'];
      const shown = [
        [metrics.gauge('evm_node_connected', '1 while an EVM node is followed', { labels }), 'connected'],
        [
          metrics.total('evm_transactions_received_total', 'pending transactions that the node showed', { labels }),
          'received',
        ],
        [metrics.total('evm_transactions_submitted_total', 'of these, given to the queue', { labels }), 'submitted'],
        [metrics.total('evm_transactions_unusable_total', 'of these, of no use', { labels }), 'unusable'],
        [metrics.gauge('evm_transactions_waiting', 'of these, waiting for room in the queue', { labels }), 'waiting'],
      ] as const;
      metrics.beforeText(() => {
        for (const follower of followers) {
          const status = follower.status();
          for (const [metric, member] of shown) metric.set(Number(status[member]), { rollup: status.rollup });
        }
      });
    },
  };
}
