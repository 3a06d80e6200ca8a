import { type AccountId, type Denom, formatAddress, parseDenom, U128_MAX } from '@switchyard/protocol';
import { addressRecord, type RollupGenesis, readGenesis } from '@switchyard/rollup';
import { list, mapped, optional, parser, type Read, strictObject, unsigned } from '@switchyard/service/input';

/** The first state of a messenger rollup. */
export interface MessengerGenesis extends RollupGenesis {
  /** Asset that genesis accounts hold. */
  readonly nativeAsset: Denom;
  /** Assets that a text may be paid in; the native one alone, if undefined. A rule of the chain: every node needs the same. */
  readonly feeAssets?: readonly Denom[] | undefined;
  readonly accounts: readonly GenesisAccount[];
  /** Read and kept, and without any power. */
  readonly authoritySudoAddress?: AccountId | undefined;
}

export interface GenesisAccount {
  readonly account: AccountId;
  readonly balance: bigint;
}

const uint128 = mapped(
  strictObject({ lo: optional(unsigned(64), 0n), hi: optional(unsigned(64), 0n) }),
  ({ lo, hi }) => (hi << 64n) | lo,
);

const account: Read<GenesisAccount> = mapped(
  strictObject({ address: addressRecord, balance: uint128 }),
  ({ address, balance }) => ({ account: address, balance }),
);

const accounts = mapped(list(account), (read, input) => {
  const totals = new Map<AccountId, bigint>();
  for (const { account: id, balance } of read) {
    const total = (totals.get(id) ?? 0n) + balance;
    totals.set(id, total);
    if (total > U128_MAX) input.fail(`at most 2^128 - 1 for ${formatAddress(id)} in all`, 'more');
  }
  return read;
});

const MAX_FEE_ASSETS = 64;
const assetName = parser('the name of an asset', 'nria', parseDenom);

const feeAssets = mapped(list(assetName), (read, input) => {
  if (read.length === 0 || read.length > MAX_FEE_ASSETS) input.fail(`1 to ${MAX_FEE_ASSETS} assets`);
  if (new Set(read.map(({ id }) => id)).size < read.length) input.fail('each asset once', 'one of them twice');
  return read;
});

const keys = {
  native_asset: optional(assetName, parseDenom('nria')),
  fee_assets: optional(feeAssets),
  accounts: optional(accounts, []),
  authority_sudo_address: optional(addressRecord),
};

/**
 * Reads a genesis file.
 *
 * @throws {InvalidConfig} naming every mistake with `file` and key path.
 */
export function parseGenesis(text: string, file: string): MessengerGenesis {
  return readGenesis(text, file, keys);
}
