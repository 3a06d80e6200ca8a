export interface Fee {
  readonly asset: string;
  /** Decimal text, in the asset's smallest unit. */
  readonly amount: string;
}

/** The sum of each asset, in the order in which the assets first occur. */
export function sumFees(lists: readonly (readonly Fee[])[]): Fee[] {
  const sums = new Map<string, bigint>();
  for (const { asset, amount } of lists.flat()) sums.set(asset, (sums.get(asset) ?? 0n) + BigInt(amount));
  return [...sums].map(([asset, amount]) => ({ asset, amount: String(amount) }));
}
