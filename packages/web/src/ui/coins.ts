import { formatAmount, parseAmount } from '@switchyard/protocol';
import { grouped } from './format.ts';

/** Units that people know. Chains do not carry the decimals of an asset, so others are shown in their smallest unit. */
const COINS: Readonly<Record<string, { readonly symbol: string; readonly decimals: number }>> = {
  nria: { symbol: 'RIA', decimals: 9 },
  utia: { symbol: 'TIA', decimals: 6 },
};

/** The name of an asset: its symbol if there is one, else its own, without the middle of a hash. */
export function assetName(asset: string): string {
  const base = asset.slice(asset.lastIndexOf('/') + 1);
  const known = getCoin(base);
  if (asset.startsWith('ibc/')) return `ibc/${base.slice(0, 6)}…${base.slice(-4)}`;
  if (base !== asset) return `${known?.symbol ?? base} (${asset.slice(0, -base.length - 1)})`;
  return known?.symbol ?? base;
}

export const formatCoins = (amount: bigint, asset: string): string =>
  `${grouped(formatAmount(amount, getDecimals(asset)))} ${assetName(asset)}`;

/** An amount that was typed, in the smallest unit. @throws {InvalidAmount} */
export const parseCoins = (text: string, asset: string): bigint => parseAmount(text, getDecimals(asset));

const getDecimals = (asset: string) => getCoin(asset.slice(asset.lastIndexOf('/') + 1))?.decimals ?? 0;
const getCoin = (base: string) => (Object.hasOwn(COINS, base) ? COINS[base] : undefined);

interface Held {
  readonly asset: string;
  readonly amount: bigint;
}

/** Amounts of the assets that there is more of than before. */
export function gains(before: readonly Held[], after: readonly Held[]): readonly string[] {
  return after.flatMap(({ asset, amount }) => {
    const gained = amount - (before.find((held) => held.asset === asset)?.amount ?? 0n);
    return gained > 0n ? [formatCoins(gained, asset)] : [];
  });
}
