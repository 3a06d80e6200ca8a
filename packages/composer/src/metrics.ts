import type { Metrics } from '@switchyard/service';
import type { Composer } from './composer.ts';

/** Shows the composer's numbers. */
export function observe(
  metrics: Metrics,
  { backlog, intake, submitter }: Pick<Composer, 'backlog' | 'intake' | 'submitter'>,
): void {
  const shown = [
    [metrics.total('transactions_received_total', 'submissions accepted since the start'), () => intake.accepted],
    [metrics.gauge('queued_transactions', 'submissions accepted and in no block yet'), () => backlog.count],
    [metrics.gauge('queued_bytes', 'their bytes'), () => backlog.bytes],
    [metrics.gauge('bundles_in_flight', 'signed transactions in no block yet'), () => submitter.status().inFlight],
    [metrics.gauge('current_nonce', 'nonce of the next bundle'), () => submitter.status().accountNonce ?? 0],
    [metrics.total('transactions_sequenced_total', 'submissions in blocks'), () => submitter.status().itemsSequenced],
    [
      metrics.total('transactions_refused_total', 'submissions that the sequencer refused'),
      () => submitter.status().itemsRefused,
    ],
  ] as const;
  metrics.beforeText(() => {
    for (const [metric, value] of shown) metric.set(value());
  });
}
