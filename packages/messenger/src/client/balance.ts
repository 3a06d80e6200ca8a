import type { RollupClient } from '@switchyard/client/rollup';

/** Balance of an account in an asset, in its smallest unit. */
export async function balance(
  rollup: RollupClient,
  address: string,
  asset: string,
  signal?: AbortSignal,
): Promise<bigint> {
  const path = `/get_account_balance/${encodeURIComponent(address)}/${encodeURIComponent(asset)}`;
  return (await rollup.get(path, signal)).big();
}
