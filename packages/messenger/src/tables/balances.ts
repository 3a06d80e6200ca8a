import { balances, type Snapshot } from '@switchyard/machine';
import type { AccountId, AssetId } from '@switchyard/protocol';

/** Balances of an account, at most `limit` of them. */
export function balancesOf(
  snapshot: Snapshot,
  account: AccountId,
  limit: number,
): { readonly asset: AssetId; readonly amount: bigint }[] {
  return Array.from(balances.range(snapshot, { within: `${account}/`, limit }), ([[, asset], amount]) => ({
    asset,
    amount,
  }));
}
