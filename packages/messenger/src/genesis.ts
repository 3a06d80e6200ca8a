import { type AccountId, type Denom, formatAddress, parseDenom, U128_MAX } from '@switchyard/protocol';
import {
  address,
  fallback,
  type GenesisOf,
  list,
  option,
  record,
  type Type,
  textAsset,
  u64,
  type ValueOf,
} from '@switchyard/rollup';
import { schema } from '@switchyard/service/input';

/** The type with a rule for the genesis file. @param rule Returns the expected form of a value that breaks it. */
const ruled = <T>(
  type: Type<T>,
  rule: (value: T) => readonly [expected: string, got?: string] | undefined,
): Type<T> => ({
  ...type,
  json: schema((input) => {
    const value = type.json(input);
    const broken = rule(value);
    return broken === undefined ? value : input.fail(...broken);
  }, type.json),
});

const bech32m = record({ bech32m: address });
const balance = record({ lo: option(u64), hi: option(u64) });
const accounts = list(record({ address: bech32m, balance }), { maxItems: 10_000 });
const assets = list(textAsset, { maxItems: 64 });

export const amountOf = ({ lo = 0n, hi = 0n }: ValueOf<typeof balance>): bigint => (hi << 64n) | lo;

/** Members of the genesis file in addition to those of every rollup. */
export const genesis = {
  /** Asset that genesis accounts hold. */
  nativeAsset: fallback(textAsset, parseDenom('nria')),
  /** Assets that a text may be paid in; the native one alone, if the file has none. */
  feeAssets: fallback(ruled(assets, assetsRule), []),
  accounts: fallback(ruled(accounts, accountsRule), []),
  /** Read and kept, and without any power. */
  authoritySudoAddress: option(bech32m),
};

export type MessengerGenesis = GenesisOf<typeof genesis>;

/** Assets that the fee of a text may be paid in. */
export const getFeeAssets = ({ feeAssets, nativeAsset }: MessengerGenesis): readonly Denom[] =>
  feeAssets.length === 0 ? [nativeAsset] : feeAssets;

function assetsRule(given: readonly Denom[]) {
  if (given.length === 0) return ['1 to 64 assets'] as const;
  return new Set(given.map(({ id }) => id)).size < given.length
    ? (['each asset once', 'one of them twice'] as const)
    : undefined;
}

function accountsRule(given: ValueOf<typeof accounts>) {
  const totals = new Map<AccountId, bigint>();
  for (const {
    address: { bech32m: account },
    balance: held,
  } of given) {
    const total = (totals.get(account) ?? 0n) + amountOf(held);
    if (total > U128_MAX) return [`at most 2^128 - 1 for ${formatAddress(account)} in all`, 'more'] as const;
    totals.set(account, total);
  }
  return undefined;
}
