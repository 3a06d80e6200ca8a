import {
  ACTION_KINDS,
  type AccountId,
  type ActionKind,
  type AssetId,
  type Denom,
  getFeeName,
  parseAddress,
  parseDenom,
  U128_MAX,
} from '@switchyard/protocol';
import { InvalidJson, parseExactJson } from '@switchyard/service';
import {
  bool,
  Input,
  InvalidData,
  list,
  mapped,
  optional,
  type Problem,
  parser,
  problemText,
  type Read,
  snakeCase,
  strictObject,
  text,
  unexpected,
  unsigned,
} from '@switchyard/service/input';
import type { Chain } from './tables/chain.ts';
import type { FeeComponents } from './tables/fees.ts';

/** A genesis that cannot start a chain. Its message has one line for each mistake. */
export class InvalidGenesis extends Error {
  override readonly name = 'InvalidGenesis';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(problemText).join('\n'));
    this.problems = problems;
  }
}

/** The first state, checked. */
export interface AppState extends Omit<Chain, 'id' | 'nativeAsset' | 'appVersion'> {
  /** One for each account and asset, which is the native one if it is undefined. */
  readonly accounts: readonly {
    readonly account: AccountId;
    readonly asset?: Denom | undefined;
    readonly balance: bigint;
  }[];
  readonly sudo: AccountId;
  readonly ibcSudo: AccountId;
  readonly ibcRelayers: readonly AccountId[];
  readonly nativeAsset: Denom | undefined;
  readonly allowedFeeAssets: readonly Denom[];
  /** Actions that are not named here are disabled. */
  readonly fees: ReadonlyMap<ActionKind, FeeComponents>;
  readonly canonicalTransactions: boolean;
  readonly refuseReservedRollupIds: boolean;
}

/** Both limits of the wire, if genesis sets no other. */
const DEFAULT_LIMIT = 256_000n;
/** A limit above this could not be kept: the engine's blocks end at 100 MiB. */
export const LARGEST_LIMIT = 67_108_864;

const amount = mapped(
  strictObject({ lo: optional(unsigned(64), 0n), hi: optional(unsigned(64), 0n) }),
  ({ lo, hi }) => (hi << 64n) | lo,
);
const components = strictObject({ base: amount, multiplier: amount });
const denom = parser('a denomination: a name, or port/channel pairs and a name', '', parseDenom);

const prefix: Read<string> = (input) => {
  const { value } = input;
  const fits = typeof value === 'string' && /^[!-~]{1,30}$/.test(value) && value === value.toLowerCase();
  return fits ? value : input.fail('1 to 30 lower-case ASCII characters');
};

/** Deposits of an asset carry its full name. */
const namedDenom = mapped(denom, (found, input) =>
  found.form === 'trace' ? found : input.fail('the full name of an asset'),
);

const baseDenom = mapped(denom, (found, input) =>
  found.form === 'trace' && !found.text.includes('/') ? found : input.fail('a name without ports and channels'),
);

const limit = mapped(unsigned(64), (value, input) => {
  if (value > LARGEST_LIMIT) input.fail(`at most ${LARGEST_LIMIT} bytes`);
  return Number(value === 0n ? DEFAULT_LIMIT : value);
});

const optionalFees = Object.fromEntries(
  ACTION_KINDS.map((kind) => [snakeCase(getFeeName(kind)), optional(components)]),
);
// Without a price for changing fees, no fee could ever be set.
const fees = strictObject({ ...optionalFees, fee_change: components });

/** Addresses must begin with `base`; if that itself is unreadable, they are only read. */
function documentWith(base: string | undefined) {
  const start = base === undefined ? '' : ` that begins with ${base}1`;
  const bech32m = parser(`a bech32m address of 20 bytes${start}`, '', (written) => parseAddress(written, base));
  const address = mapped(strictObject({ bech32m }), (record) => record.bech32m);
  return strictObject({
    // The id that counts is the engine's; this one is read so that existing files work.
    chain_id: optional(text),
    address_prefixes: strictObject({ base: prefix, ibc_compat: prefix }),
    accounts: optional(list(strictObject({ address, asset: optional(namedDenom), balance: optional(amount, 0n) })), []),
    authority_sudo_address: address,
    ibc_sudo_address: address,
    ibc_relayer_addresses: optional(list(address), []),
    native_asset_base_denomination: optional(baseDenom),
    ibc_parameters: strictObject({
      ibc_enabled: optional(bool),
      inbound_ics20_transfers_enabled: optional(bool),
      outbound_ics20_transfers_enabled: optional(bool),
    }),
    allowed_fee_assets: optional(list(denom), []),
    fees,
    canonical_transactions: optional(bool),
    refuse_reserved_rollup_ids: optional(bool),
    limits: optional(
      strictObject({
        max_sequenced_bytes_per_block: optional(limit),
        max_transaction_bytes: optional(limit),
      }),
    ),
  });
}

/**
 * Reads `app_state` of a genesis file.
 *
 * @throws {InvalidGenesis} with every mistake that can be found at once.
 */
export function parseAppState(json: Uint8Array): AppState {
  const document = parseDocument(json);
  const found = reading(() => documentWith(basePrefix(document))(document));
  const accounts = found.accounts.map(({ address, ...row }) => ({ account: address, ...row }));
  const problems = accountProblems(accounts, found.nativeAssetBaseDenomination);
  if (problems.length > 0) throw new InvalidGenesis(problems);
  return {
    prefix: found.addressPrefixes.base,
    ibcCompatPrefix: found.addressPrefixes.ibcCompat,
    accounts,
    sudo: found.authoritySudoAddress,
    ibcSudo: found.ibcSudoAddress,
    ibcRelayers: found.ibcRelayerAddresses,
    nativeAsset: found.nativeAssetBaseDenomination,
    allowedFeeAssets: found.allowedFeeAssets,
    fees: feesByAction(found.fees),
    maxSequencedBytesPerBlock: found.limits?.maxSequencedBytesPerBlock ?? Number(DEFAULT_LIMIT),
    maxTransactionBytes: found.limits?.maxTransactionBytes ?? Number(DEFAULT_LIMIT),
    // Genesis files from before a rule do not name it, and their chains must replay unchanged.
    canonicalTransactions: found.canonicalTransactions ?? false,
    refuseReservedRollupIds: found.refuseReservedRollupIds ?? false,
  };
}

function feesByAction(read: Readonly<Record<string, FeeComponents | undefined>>): AppState['fees'] {
  const rows = new Map<ActionKind, FeeComponents>();
  for (const kind of ACTION_KINDS) {
    const row = read[getFeeName(kind)];
    if (row !== undefined) rows.set(kind, row);
  }
  return rows;
}

const ROOT = 'app_state';

function parseDocument(json: Uint8Array): Input {
  try {
    return new Input(parseExactJson(new TextDecoder('utf-8', { fatal: true }).decode(json)), ROOT);
  } catch (error) {
    const got = error instanceof InvalidJson ? error.message : 'bytes that are not UTF-8';
    throw new InvalidGenesis([unexpected(ROOT, 'JSON', got)]);
  }
}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof InvalidData ? new InvalidGenesis(error.problems) : error;
  }
}

/** The prefix alone, before anything else is read, so that a wrong address is reported together with all other mistakes. */
function basePrefix(document: Input): string | undefined {
  const holder = ['address_prefixes', 'addressPrefixes']
    .map((name) => findMember(document, name))
    .find((each) => each?.isObject);
  const base = holder?.at('base').value;
  return typeof base === 'string' ? base : undefined;
}

function findMember(input: Input, name: string): Input | undefined {
  return input.isObject ? input.at(name) : undefined;
}

function accountProblems(accounts: AppState['accounts'], nativeAsset: Denom | undefined): Problem[] {
  const problems: Problem[] = [];
  const add = (path: string, expected: string, got: string) =>
    problems.push(unexpected(`${ROOT}.${path}`, expected, got));
  if (nativeAsset === undefined && accounts.some(({ asset }) => asset === undefined))
    add('native_asset_base_denomination', 'the asset that accounts hold balances of', 'nothing');
  const seen = new Set<string>();
  const totals = new Map<AssetId | undefined, bigint>();
  for (const [index, { account, asset = nativeAsset, balance }] of accounts.entries()) {
    const row = `${account} ${asset?.id}`;
    if (seen.has(row)) add(`accounts[${index}].address`, 'each account once', 'a repeated one');
    seen.add(row);
    totals.set(asset?.id, (totals.get(asset?.id) ?? 0n) + balance);
  }
  // Below this no later addition of balances can overflow, regardless of transfers.
  if ([...totals.values()].some((total) => total > U128_MAX))
    add('accounts', 'balances that add up to at most 2^128 - 1', 'more');
  return problems;
}
