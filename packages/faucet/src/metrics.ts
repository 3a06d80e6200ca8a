import { formatAmount } from '@switchyard/protocol/values';
import type { Metrics } from '@switchyard/service';
import type { ClaimService } from './claim-service.ts';
import type { Coin } from './config.ts';

/** Shows the faucet's numbers. */
export function observe(
  metrics: Metrics,
  { claimService, coin }: { readonly claimService: ClaimService; readonly coin: Coin },
): void {
  const waiting = metrics.gauge('claims_waiting', 'claims accepted and not paid yet');
  const balance = metrics.gauge('balance_coins', 'what the faucet holds, in coins, as last seen');
  const ready = metrics.gauge('ready', '1 while a claim could be paid');
  metrics.beforeText(() => {
    const { funds, state } = claimService.status();
    waiting.set(claimService.waiting);
    ready.set(state === 'ready' ? 1 : 0);
    // A gauge holds a floating-point number anyway.
    if (funds !== undefined) balance.set(Number(formatAmount(funds.balance, coin.precision)));
  });
}
