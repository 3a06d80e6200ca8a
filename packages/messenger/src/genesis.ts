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
  /** What genesis accounts hold, and what texts cost. */
  readonly nativeAsset: Denom;
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

const genesis = record(
  (reader): MessengerGenesis => ({
    ...readRollupGenesis(reader),
    nativeAsset: reader.optional('native_asset', parsed('the name of an asset', parseDenom), parseDenom('nria')),
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
