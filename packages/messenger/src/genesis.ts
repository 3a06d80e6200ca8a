import { type AccountId, type Denom, formatAddress, parseDenom, U128_MAX } from '@switchyard/protocol';
import {
  addressRecord,
  list,
  parsed,
  type Read,
  type RollupGenesis,
  readJson,
  readRollupGenesis,
  record,
  unsigned,
} from '@switchyard/rollup';

/** The first state of a messenger rollup. */
export interface MessengerGenesis extends RollupGenesis {
  /** What genesis accounts hold. */
  readonly nativeAsset: Denom;
  /** Assets that a text may be paid in; the native one alone, if undefined. A rule of the chain: every node needs the same. */
  readonly feeAssets: readonly Denom[] | undefined;
  readonly accounts: readonly GenesisAccount[];
  /** Read and kept, and without any power. */
  readonly authoritySudoAddress: AccountId | undefined;
}

export interface GenesisAccount {
  readonly account: AccountId;
  readonly balance: bigint;
}

const uint128 = record(
  (reader) => (reader.optional('hi', unsigned(64), 0n) << 64n) | reader.optional('lo', unsigned(64), 0n),
);

const account = record((reader): GenesisAccount | undefined => {
  const id = reader.required('address', 'an address', addressRecord, undefined);
  const balance = reader.required('balance', 'an amount', uint128, 0n);
  return id === undefined ? undefined : { account: id, balance };
});

const accounts: Read<readonly GenesisAccount[]> = (value, path, report) => {
  const read = list(account)(value, path, report)?.filter((each) => each !== undefined);
  const totals = new Map<AccountId, bigint>();
  for (const { account: id, balance } of read ?? []) {
    const total = (totals.get(id) ?? 0n) + balance;
    totals.set(id, total);
    if (total > U128_MAX) report(path, `at most 2^128 - 1 for ${formatAddress(id)} in all`);
  }
  return read;
};

const MAX_FEE_ASSETS = 64;
const assetName = parsed('the name of an asset', parseDenom);

const feeAssets: Read<readonly Denom[]> = (value, path, report) => {
  const read = list(assetName)(value, path, report)?.filter((each) => each !== undefined);
  if (read === undefined) return undefined;
  if (read.length === 0 || read.length > MAX_FEE_ASSETS) report(path, `1 to ${MAX_FEE_ASSETS} assets`, value);
  if (new Set(read.map(({ id }) => id)).size < read.length) report(path, 'each asset once', value);
  return read;
};

const genesis = record(
  (reader): MessengerGenesis => ({
    ...readRollupGenesis(reader),
    nativeAsset: reader.optional('native_asset', assetName, parseDenom('nria')),
    feeAssets: reader.optional('fee_assets', feeAssets, undefined),
    accounts: reader.optional('accounts', accounts, []),
    authoritySudoAddress: reader.optional('authority_sudo_address', addressRecord, undefined),
  }),
);

/**
 * Reads a genesis file.
 *
 * @throws {InvalidConfig} naming every mistake with `file` and key path.
 */
export function parseGenesis(text: string, file: string): MessengerGenesis {
  return readJson(text, file, genesis);
}
