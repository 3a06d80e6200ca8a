import {
  ACTION_KINDS,
  type AccountId,
  type ActionKind,
  type Denom,
  feeNameOf,
  parseAddress,
  parseDenom,
  U128_MAX,
} from '@switchyard/protocol';
import { parseExactJson } from '@switchyard/service';
import { flag, list, mapped, object, optional, type Problem, required, text, uint64 } from './strict-json.ts';
import type { FeeComponents } from './tables/fees.ts';

/** A genesis that cannot start a chain. Its message has one line for each mistake. */
export class InvalidGenesis extends Error {
  override readonly name = 'InvalidGenesis';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ path, message }) => `${path}: ${message}`).join('\n'));
    this.problems = problems;
  }
}

/** The first state, checked. */
export interface AppState {
  readonly prefix: string;
  readonly ibcCompatPrefix: string;
  readonly accounts: readonly { readonly account: AccountId; readonly balance: bigint }[];
  readonly sudo: AccountId;
  readonly ibcSudo: AccountId;
  readonly ibcRelayers: readonly AccountId[];
  readonly nativeAsset: Denom | undefined;
  readonly allowedFeeAssets: readonly Denom[];
  /** Actions that are not named here are disabled. */
  readonly fees: ReadonlyMap<ActionKind, FeeComponents>;
  readonly maxSequencedBytesPerBlock: number;
  readonly maxTransactionBytes: number;
  readonly canonicalTransactions: boolean;
}

/** Both limits of the wire, where genesis sets no other. */
const DEFAULT_LIMIT = 256_000n;
/** A limit above this could not be kept: the engine's blocks end at 100 MiB. */
export const LARGEST_LIMIT = 67_108_864;

const amount = mapped(
  object({ lo: optional(uint64), hi: optional(uint64) }),
  ({ lo = 0n, hi = 0n }) => (hi << 64n) | lo,
);
const components = object({ base: required(amount), multiplier: required(amount) });
const denom = mapped(text, parseDenom);

const prefix = mapped(text, (value) => {
  if (!/^[!-~]{1,30}$/.test(value) || value !== value.toLowerCase())
    throw new Error('expected 1 to 30 lower-case ASCII characters');
  return value;
});

const baseDenom = mapped(denom, (found) => {
  if (found.form !== 'trace' || found.text.includes('/')) throw new Error('expected a name without ports and channels');
  return found;
});

const limit = mapped(uint64, (value) => {
  if (value > LARGEST_LIMIT) throw new Error(`expected at most ${LARGEST_LIMIT} bytes`);
  return Number(value === 0n ? DEFAULT_LIMIT : value);
});

const optionalFees = Object.fromEntries(ACTION_KINDS.map((kind) => [feeNameOf(kind), optional(components)]));
// Without a price for changing fees, no fee could ever be set.
const fees = object({ ...optionalFees, feeChange: required(components) });

/** Addresses must begin with `base`; where that itself is unreadable, they are only read. */
function documentWith(base: string | undefined) {
  const address = mapped(object({ bech32m: required(text) }), ({ bech32m }) => parseAddress(bech32m, base));
  return object({
    // The id that counts is the engine's; this one is read so that existing files work.
    chainId: optional(text),
    addressPrefixes: required(object({ base: required(prefix), ibcCompat: required(prefix) })),
    accounts: optional(list(object({ address: required(address), balance: optional(amount) }))),
    authoritySudoAddress: required(address),
    ibcSudoAddress: required(address),
    ibcRelayerAddresses: optional(list(address)),
    nativeAssetBaseDenomination: optional(baseDenom),
    ibcParameters: required(
      object({
        ibcEnabled: optional(flag),
        inboundIcs20TransfersEnabled: optional(flag),
        outboundIcs20TransfersEnabled: optional(flag),
      }),
    ),
    allowedFeeAssets: optional(list(denom)),
    fees: required(fees),
    canonicalTransactions: optional(flag),
    limits: optional(object({ maxSequencedBytesPerBlock: optional(limit), maxTransactionBytes: optional(limit) })),
  });
}

/**
 * Reads `app_state` of a genesis file.
 *
 * @throws {InvalidGenesis} with every mistake that can be found at once.
 */
export function parseAppState(json: Uint8Array): AppState {
  const value = parseJson(json);
  const problems: Problem[] = [];
  const found = documentWith(basePrefix(value))(value, ROOT, problems);
  if (found === undefined) throw new InvalidGenesis(problems);
  const accounts = (found.accounts ?? []).map(({ address, balance = 0n }) => ({ account: address, balance }));
  problems.push(...accountProblems(accounts, found.nativeAssetBaseDenomination));
  if (problems.length > 0) throw new InvalidGenesis(problems);
  return {
    prefix: found.addressPrefixes.base,
    ibcCompatPrefix: found.addressPrefixes.ibcCompat,
    accounts,
    sudo: found.authoritySudoAddress,
    ibcSudo: found.ibcSudoAddress,
    ibcRelayers: found.ibcRelayerAddresses ?? [],
    nativeAsset: found.nativeAssetBaseDenomination,
    allowedFeeAssets: found.allowedFeeAssets ?? [],
    fees: feesByAction(found.fees),
    maxSequencedBytesPerBlock: found.limits?.maxSequencedBytesPerBlock ?? Number(DEFAULT_LIMIT),
    maxTransactionBytes: found.limits?.maxTransactionBytes ?? Number(DEFAULT_LIMIT),
    // Genesis files from before the rule do not name it, and their chains must replay as they were.
    canonicalTransactions: found.canonicalTransactions ?? false,
  };
}

function feesByAction(
  read: Readonly<Record<string, FeeComponents | undefined>>,
): ReadonlyMap<ActionKind, FeeComponents> {
  const rows = new Map<ActionKind, FeeComponents>();
  for (const kind of ACTION_KINDS) {
    const row = read[feeNameOf(kind)];
    if (row !== undefined) rows.set(kind, row);
  }
  return rows;
}

const ROOT = 'app_state';

function parseJson(json: Uint8Array): unknown {
  try {
    return parseExactJson(new TextDecoder('utf-8', { fatal: true }).decode(json));
  } catch (error) {
    throw new InvalidGenesis([
      { path: ROOT, message: `not JSON: ${error instanceof Error ? error.message : String(error)}` },
    ]);
  }
}

/** The prefix alone, before anything else is read, so that a wrong address is reported together with all other mistakes. */
function basePrefix(value: unknown): string | undefined {
  const holder = memberOf(value, 'address_prefixes') ?? memberOf(value, 'addressPrefixes');
  const base = memberOf(holder, 'base');
  return typeof base === 'string' ? base : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function accountProblems(accounts: AppState['accounts'], nativeAsset: Denom | undefined): Problem[] {
  const problems: Problem[] = [];
  if (accounts.length > 0 && nativeAsset === undefined) {
    problems.push({
      path: `${ROOT}.native_asset_base_denomination`,
      message: 'missing, though accounts hold balances of it',
    });
  }
  const seen = new Set<AccountId>();
  let total = 0n;
  for (const [index, { account, balance }] of accounts.entries()) {
    if (seen.has(account)) problems.push({ path: `${ROOT}.accounts[${index}].address`, message: 'listed before' });
    seen.add(account);
    total += balance;
  }
  // Below this no later addition of balances can overflow, whatever is sent where.
  if (total > U128_MAX) problems.push({ path: `${ROOT}.accounts`, message: 'balances add up to more than 2^128 - 1' });
  return problems;
}
