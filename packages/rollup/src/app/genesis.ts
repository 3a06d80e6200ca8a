import {
  type AccountId,
  type Address,
  formatAddress,
  parseAddress,
  parseAnyAddress,
  parseDenom,
  type RollupId,
  rollupIdFromName,
} from '@switchyard/protocol';
import { InvalidConfig, readJsonFile } from '@switchyard/service';
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
} from '@switchyard/service/input';
import type { WithdrawalRule } from './withdrawal-rule.ts';

/** The part of a genesis file that every rollup has: who it is and where it begins. */
export interface RollupGenesis {
  readonly rollupName: string;
  /** SHA-256 of the name. */
  readonly rollup: RollupId;
  /** Chain id that transactions must carry; the rollup's name unless the file has another. */
  readonly chainId: string;
  /** Rollup block 1 is made from the sequencer block after this height. */
  readonly sequencerGenesisBlockHeight: bigint;
  /** Empty where the file has none; a node then needs it as a setting. */
  readonly sequencerChainId: string;
  readonly daGenesisBlockHeight: bigint;
  readonly daBlockVariance: bigint;
  /** Accounts on the sequencer whose deposits are credited. */
  readonly bridgeAccounts: ReadonlySet<AccountId>;
  /**
   * Bridge accounts that pay withdrawals, each of its asset. Absent where the file has none: such chains have no
   * withdrawals, and a database knows its genesis by the members that are there.
   */
  readonly withdrawals?: readonly WithdrawalRule[];
  /**
   * A block executes only transactions whose envelope has its one encoding. Absent where the file does not
   * ask for it: a database knows its genesis by the members that are there.
   */
  readonly canonicalTransactions?: true;
}

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

/** The keys that the genesis file of every rollup may have. */
const keys = {
  rollup_name: shortText(64),
  chain_id: optional(shortText(64)),
  sequencer_genesis_block_height: optional(unsigned(32), 0n),
  sequencer_chain_id: optional(shortText(50), ''),
  da_genesis_block_height: optional(unsigned(32), 0n),
  da_block_variance: optional(unsigned(64), 0n),
  canonical_transactions: optional(bool, false),
  bridge_accounts: optional(list(addressRecord), []),
  withdrawals: optional(list(withdrawalRule), []),
};

const aliases = {
  celestia_genesis_block_height: 'da_genesis_block_height',
  celestia_block_variance: 'da_block_variance',
};

const everyRollup = mapped(object(keys, { aliases }), (read, input): RollupGenesis => {
  const { canonicalTransactions, chainId, withdrawals, ...found } = read;
  const bridgeAccounts = new Set(found.bridgeAccounts);
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
  return {
    ...found,
    rollup: rollupIdFromName(found.rollupName),
    chainId: chainId ?? found.rollupName,
    ...(withdrawals.length > 0 && { withdrawals }),
    ...(canonicalTransactions && { canonicalTransactions: true as const }),
    bridgeAccounts,
  };
});

/**
 * Reads the genesis file of a rollup: the keys that all have, and its own.
 *
 * @param own Its own keys in snake_case, each with its reader; the result has them in lowerCamelCase.
 * @throws {InvalidConfig} naming every mistake with file and path, unknown keys among them.
 */
export function readGenesis<M extends Members>(text: string, file: string, own: M): RollupGenesis & ObjectOf<M> {
  const names = [...Object.keys(keys), ...Object.keys(own)];
  const known = strictObject(Object.fromEntries(names.map((name) => [name, () => undefined])), { aliases });
  const [common, mine] = readJsonFile(text, file, all(everyRollup, object(own), known));
  return { ...common, ...mine };
}

/**
 * The genesis with the chain of its sequencer, which older files leave out and a setting then names. Conductors refuse
 * a session that names no chain.
 *
 * @throws {InvalidConfig} where both are missing, or the two differ.
 */
export function withSequencerChain<G extends RollupGenesis>(genesis: G, setting: string | undefined, file: string): G {
  const { sequencerChainId } = genesis;
  if (sequencerChainId !== '' && (setting === undefined || setting === sequencerChainId)) return genesis;
  if (sequencerChainId === '' && setting !== undefined) return { ...genesis, sequencerChainId: setting };
  throw new InvalidConfig([
    {
      variable: `${file}: sequencer_chain_id`,
      expected: setting === undefined ? 'the chain id of the sequencer' : `${setting}, the value of SEQUENCER_CHAIN_ID`,
      got: sequencerChainId === '' ? 'nothing' : sequencerChainId,
      advice: setting === undefined ? 'add the key, or set SEQUENCER_CHAIN_ID' : 'make both the same',
    },
  ]);
}
