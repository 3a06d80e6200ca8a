import { assetIdFromTrace } from '@switchyard/protocol';

/** Units that people know. Chains do not carry the decimals of an asset, so others are shown in their smallest unit. */
const COINS: Readonly<Record<string, { readonly symbol: string; readonly decimals: number }>> = {
  nria: { symbol: 'RIA', decimals: 9 },
  utia: { symbol: 'TIA', decimals: 6 },
};

/** The name of an asset: its symbol where there is one, else its own, without the middle of a hash. */
export function assetName(asset: string): string {
  const base = asset.slice(asset.lastIndexOf('/') + 1);
  const known = coinOf(base);
  if (asset.startsWith('ibc/')) return `ibc/${base.slice(0, 6)}…${base.slice(-4)}`;
  if (base !== asset) return `${known?.symbol ?? base} (${asset.slice(0, -base.length - 1)})`;
  return known?.symbol ?? base;
}

export function formatCoins(amount: bigint, asset: string): string {
  const { decimals } = coinOf(asset.slice(asset.lastIndexOf('/') + 1)) ?? { decimals: 0 };
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',');
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${whole}${fraction === '' ? '' : `.${fraction}`} ${assetName(asset)}`;
}

/** A node names an asset by its id, a hash: those that are known get their names. */
export const withAssetNames = (text: string, assets: readonly string[]): string =>
  assets.reduce((named, asset) => named.replaceAll(assetIdFromTrace(asset), asset), text);

/** An amount that was typed, in the smallest unit; undefined where it is none, or finer than the asset is. */
export function parseCoins(text: string, asset: string): bigint | undefined {
  const { decimals } = coinOf(asset.slice(asset.lastIndexOf('/') + 1)) ?? { decimals: 0 };
  const match = /^(\d{1,39})(?:\.(\d+))?$/.exec(text.trim().replaceAll(',', ''));
  const fraction = match?.[2] ?? '';
  if (match === null || fraction.length > decimals) return undefined;
  const amount = BigInt(`${match[1]}${fraction.padEnd(decimals, '0')}`);
  return amount > 0n && amount < 1n << 128n ? amount : undefined;
}

const coinOf = (base: string) => (Object.hasOwn(COINS, base) ? COINS[base] : undefined);

interface Held {
  readonly asset: string;
  readonly amount: bigint;
}

/** What there is more of than before. */
export function gains(before: readonly Held[], after: readonly Held[]): readonly string[] {
  return after.flatMap(({ asset, amount }) => {
    const gained = amount - (before.find((held) => held.asset === asset)?.amount ?? 0n);
    return gained > 0n ? [formatCoins(gained, asset)] : [];
  });
}
