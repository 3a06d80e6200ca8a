import {
  type AccountId,
  type Address,
  type AssetId,
  formatAddress,
  parseAddress,
  parseAnyAddress,
  parseDenom,
  type RollupId,
  rollupIdFromName,
  sha256Hex,
} from '@switchyard/protocol';
import { InvalidConfig, readJsonFile } from '@switchyard/service/browser';
import {
  all,
  bool,
  list,
  type Members,
  mapped,
  type ObjectOf,
  object,
  optional,
  parser,
  shortText,
  strictObject,
  unsigned,
  words,
} from '@switchyard/service/input';

/** A bridge account that pays withdrawals of its asset, as the genesis names it. */
export interface WithdrawalRule {
  readonly bridge: Address;
  /** Asset of the bridge account, by its name on the sequencer. */
  readonly asset: string;
  readonly assetId: AssetId;
  /** Smaller amounts are refused, in the asset's smallest unit. At least 1. */
  readonly minimum: bigint;
}

/** The part of a genesis file that every rollup has: its identity and its beginning. */
export interface RollupGenesis {
  readonly rollupName: string;
  /** SHA-256 of the name. */
  readonly rollup: RollupId;
  /** Chain id that transactions must carry. Without one in the file, it is the name and a digest of all that begins the chain. */
  readonly chainId: string;
  /** Rollup block 1 is made from the sequencer block after this height. */
  readonly sequencerGenesisBlockHeight: bigint;
  /** Empty if the file has none; a node then needs it as a setting. */
  readonly sequencerChainId: string;
  readonly daGenesisBlockHeight: bigint;
  readonly daBlockVariance: bigint;
  /** Accounts on the sequencer whose deposits are credited. */
  readonly bridgeAccounts: ReadonlySet<AccountId>;
  /**
   * Account that announces upgrades. Absent if the file names none: a database knows its genesis by the members that are
   * there.
   */
  readonly upgradeAuthority?: AccountId;
  /** Root of the exported state with which the chain begins, in place of the first state of its definition. */
  readonly stateRoot?: string;
  /**
   * Bridge accounts that pay withdrawals, each of its asset. Absent if the file has none: such chains have no
   * withdrawals, and a database knows its genesis by the members that are present.
   */
  readonly withdrawals?: readonly WithdrawalRule[];
  /** Gets deposits that a bug of `onDeposit` has hit; without it they are skipped. Absent if the file has none. */
  readonly failedDeposits?: AccountId;
  /**
   * A block executes only transactions whose envelope has its one encoding. Absent if the file does not
   * ask for it: a database knows its genesis by the members that are present.
   */
  readonly canonicalTransactions?: true;
  /** Schemes of the signatures of transactions, in alphabetical order: Ed25519, unless the file names others. */
  readonly signatures?: readonly Scheme[];
}

const SCHEMES = ['ed25519', 'secp256k1'] as const;
/** `secp256k1` is a wallet of Ethereum, which signs typed data. */
type Scheme = (typeof SCHEMES)[number];

const address = parser<AccountId>('a bech32m address of 20 bytes', '', (text) => parseAddress(text));

/** `{"bech32m": "astria1..."}`, with any prefix: only the 20 bytes count. */
export const addressRecord = mapped(strictObject({ bech32m: address }), ({ bech32m }) => bech32m);

const prefixedAddress = parser<Address>('a bech32m address of 20 bytes', '', (text) => parseAnyAddress(text));
const MAX_WITHDRAWAL_RULES = 64;

const withdrawalRule = mapped(
  strictObject({
    bridge_account: mapped(strictObject({ bech32m: prefixedAddress }), ({ bech32m }) => bech32m),
    asset: parser('the name of an asset', 'nria', parseDenom),
    minimum: optional(unsigned(64, { min: 1n }), 1n),
  }),
  ({ bridgeAccount, asset, minimum }): WithdrawalRule => ({
    ...{ bridge: bridgeAccount, asset: asset.text, assetId: asset.id, minimum },
  }),
);

const stateRoot = parser('64 hex digits', '00'.repeat(32), (text) => (/^[0-9a-f]{64}$/.test(text) ? text : undefined));

/** The keys that the genesis file of every rollup may have. */
const keys = {
  rollup_name: shortText(64),
  chain_id: optional(shortText(64)),
  sequencer_genesis_block_height: optional(unsigned(32), 0n),
  sequencer_chain_id: optional(shortText(50), ''),
  da_genesis_block_height: optional(unsigned(32), 0n),
  da_block_variance: optional(unsigned(64), 0n),
  canonical_transactions: optional(bool, false),
  signatures: optional(list(words(...SCHEMES)), ['ed25519']),
  bridge_accounts: optional(list(addressRecord), []),
  withdrawals: optional(list(withdrawalRule), []),
  failed_deposits: optional(addressRecord),
  upgrade_authority: optional(addressRecord),
  state_root: optional(stateRoot),
};

const aliases = {
  celestia_genesis_block_height: 'da_genesis_block_height',
  celestia_block_variance: 'da_block_variance',
};

/** All keys that such a file may have, by every spelling. */
export const GENESIS_KEYS: readonly string[] = [...Object.keys(keys), ...Object.keys(aliases)];

type Stated = Omit<RollupGenesis, 'chainId'> & { readonly chainId?: string | undefined };

const everyRollup = mapped(object(keys, { aliases }), (read, input): Stated => {
  const {
    canonicalTransactions,
    signatures,
    withdrawals,
    failedDeposits,
    upgradeAuthority,
    stateRoot: root,
    ...found
  } = read;
  // Handlers may go through them: no result depends on their order in the file.
  const bridgeAccounts = new Set(found.bridgeAccounts.toSorted());
  if (withdrawals.length > MAX_WITHDRAWAL_RULES) input.fail(`at most ${MAX_WITHDRAWAL_RULES} withdrawals`);
  for (const { bridge, asset, assetId } of withdrawals) {
    if (!bridgeAccounts.has(bridge.account)) {
      input.fail(
        'withdrawals of bridge accounts that bridge_accounts names',
        formatAddress(bridge.account, bridge.prefix),
      );
    }
    if (
      withdrawals.some(
        (each) => each.bridge !== bridge && (each.assetId === assetId || each.bridge.account === bridge.account),
      )
    ) {
      input.fail('withdrawals with each asset and each bridge account once', `${asset} more than once`);
    }
  }
  const schemes = String(signatures);
  if (signatures.length === 0) input.fail('signatures of a scheme', 'none');
  return {
    ...found,
    rollup: rollupIdFromName(found.rollupName),
    ...(withdrawals.length > 0 && { withdrawals }),
    ...(failedDeposits !== undefined && { failedDeposits }),
    ...(upgradeAuthority !== undefined && { upgradeAuthority }),
    ...(root !== undefined && { stateRoot: root }),
    ...(schemes !== 'ed25519' && { signatures: SCHEMES.filter((scheme) => signatures.includes(scheme)) }),
    ...(canonicalTransactions && { canonicalTransactions: true as const }),
    bridgeAccounts,
  };
});

/** Facts outside the file on which a chain depends. */
export interface GenesisFacts {
  /** Chain of the sequencer, which the file may leave out. */
  readonly sequencerChainId?: string | undefined;
  readonly fingerprint?: string;
  /** Members of the file that begin at later blocks, on which block 0 does not depend. */
  readonly laterMembers?: readonly string[];
}

/**
 * Reads the genesis file of a rollup: the keys that all have, and its own.
 *
 * @param own Its own keys in snake_case, each with its reader; the result has them in lowerCamelCase.
 * @throws {InvalidConfig} naming every mistake with file and path, unknown keys among them.
 */
export function readGenesis<M extends Members>(
  text: string,
  file: string,
  own: M,
  { sequencerChainId: setting, fingerprint, laterMembers }: GenesisFacts = {},
): RollupGenesis & ObjectOf<M> {
  const names = [...Object.keys(keys), ...Object.keys(own)];
  const known = strictObject(Object.fromEntries(names.map((name) => [name, () => undefined])), { aliases });
  const [{ chainId: chosen, ...common }, mine] = readJsonFile(text, file, all(everyRollup, object(own), known));
  const sequencerChainId = getSequencerChain(common.sequencerChainId, setting, file);
  const stated = { ...common, ...mine, sequencerChainId };
  const chainId = chosen ?? `${common.rollupName}-${genesisDigest(stated, laterMembers, fingerprint).slice(0, DIGITS)}`;
  // A transfer of the messenger is one of the sequencer, byte for byte: chain ids alone keep their signatures apart.
  if (chainId === sequencerChainId)
    throw wrong(file, 'chain_id', 'another one than that of the sequencer', chainId, 'leave the key out');
  return { ...stated, chainId };
}

const DIGITS = 16;

function getSequencerChain(stated: string, setting: string | undefined, file: string): string {
  if (stated === '' || setting === undefined || setting === stated) return stated || (setting ?? '');
  throw wrong(file, 'sequencer_chain_id', `${setting}, the value of SEQUENCER_CHAIN_ID`, stated, 'make both the same');
}

/** Conductors refuse a session that names no chain. @throws {InvalidConfig} if neither file nor setting have named one. */
export function mustNameSequencer({ sequencerChainId }: RollupGenesis, file: string): void {
  if (sequencerChainId !== '') return;
  const advice = 'add the key, or set SEQUENCER_CHAIN_ID';
  throw wrong(file, 'sequencer_chain_id', 'the chain id of the sequencer', 'nothing', advice);
}

function wrong(file: string, key: string, expected: string, got: string, advice: string): InvalidConfig {
  return new InvalidConfig({ variable: `${file}: ${key}`, expected, got, advice });
}

/** Hex digits of a digest that is equal for equal genesis documents, regardless of the order of keys in the file. */
export function genesisDigest(genesis: object, laterMembers: readonly string[] = [], fingerprint = ''): string {
  const begun = Object.fromEntries(Object.entries(genesis).filter(([name]) => !laterMembers.includes(name)));
  const text = JSON.stringify(begun, (_, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    if (value instanceof Set || value instanceof Map) return [...value].sort();
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
    }
    return value;
  });
  return sha256Hex(new TextEncoder().encode(fingerprint + text));
}
