import { type AccountId, parseAddress, type RollupId, rollupIdFromName } from '@switchyard/protocol';
import { InvalidConfig } from '@switchyard/service';
import { flag, list, parsed, type Read, type RecordReader, record, string, unsigned } from './record-reader.ts';

/** The part of a genesis file that every rollup has: who it is and where it begins. */
export interface RollupGenesis {
  readonly rollupName: string;
  /** SHA-256 of the name. */
  readonly rollup: RollupId;
  /** What transactions must name; the rollup's name unless the file says otherwise. */
  readonly chainId: string;
  /** Rollup block 1 is made from the sequencer block after this height. */
  readonly sequencerGenesisBlockHeight: bigint;
  /** Empty where the file does not say; a node then needs it as a setting. */
  readonly sequencerChainId: string;
  readonly daGenesisBlockHeight: bigint;
  readonly daBlockVariance: bigint;
  /** Accounts on the sequencer whose deposits are credited. */
  readonly bridgeAccounts: ReadonlySet<AccountId>;
  /**
   * A block executes only transactions whose envelope has its one encoding. Absent on chains from before this rule: they
   * must replay as they were, and a database knows its genesis by the members that are there.
   */
  readonly canonicalTransactions?: true;
  /**
   * The same from this block on, for a chain from before this rule. May be added to the file as long as the block has not
   * been executed: it is not part of what a database was begun with.
   */
  readonly canonicalTransactionsFrom?: bigint;
}

/** `{"bech32m": "astria1..."}`, with any prefix: only the 20 bytes count. */
export const addressRecord = record((reader) => reader.required('bech32m', 'a bech32m address', address, undefined));

const address = parsed<AccountId | undefined>('a bech32m address of 20 bytes', (text) => parseAddress(text));

/** Takes the common keys of a genesis file out of `reader`. */
export function readRollupGenesis(reader: RecordReader): RollupGenesis {
  const rollupName = reader.required('rollup_name', 'text of 1 to 64 bytes', string(64), '');
  const bridges = reader.optional('bridge_accounts', list(addressRecord), []);
  return {
    rollupName,
    rollup: rollupIdFromName(rollupName),
    chainId: reader.optional('chain_id', string(64), rollupName),
    sequencerGenesisBlockHeight: reader.optional('sequencer_genesis_block_height', unsigned(32), 0n),
    sequencerChainId: reader.optional('sequencer_chain_id', string(50), ''),
    daGenesisBlockHeight: reader.optional(
      ['da_genesis_block_height', 'celestia_genesis_block_height'],
      unsigned(32),
      0n,
    ),
    daBlockVariance: reader.optional(['da_block_variance', 'celestia_block_variance'], unsigned(64), 0n),
    ...(reader.optional('canonical_transactions', flag, false) && { canonicalTransactions: true as const }),
    ...canonicalFrom(reader),
    bridgeAccounts: new Set(bridges.filter((account) => account !== undefined)),
  };
}

const executableBlock: Read<bigint> = (value, path, report) => {
  const number = unsigned(64)(value, path, report);
  return number === 0n ? void report(path, 'a block from 1 on', value) : number;
};

function canonicalFrom(reader: RecordReader): Pick<RollupGenesis, 'canonicalTransactionsFrom'> {
  const from = reader.optional<bigint | undefined>('canonical_transactions_from', executableBlock, undefined);
  return from === undefined ? {} : { canonicalTransactionsFrom: from };
}

/** Whether a block executes only transactions whose envelope has its one encoding. */
export function requiresCanonical(
  { canonicalTransactions, canonicalTransactionsFrom: from }: RollupGenesis,
  number: bigint,
): boolean {
  return canonicalTransactions === true || (from !== undefined && number >= from);
}

/**
 * The genesis with the chain of its sequencer, which older files leave out and a setting then names. Conductors refuse
 * a session that names no chain.
 *
 * @throws {InvalidConfig} where neither says, or the two differ.
 */
export function withSequencerChain<G extends RollupGenesis>(genesis: G, setting: string | undefined, file: string): G {
  const { sequencerChainId } = genesis;
  if (sequencerChainId !== '' && (setting === undefined || setting === sequencerChainId)) return genesis;
  if (sequencerChainId === '' && setting !== undefined) return { ...genesis, sequencerChainId: setting };
  throw new InvalidConfig([
    {
      variable: `${file}: sequencer_chain_id`,
      expected: setting === undefined ? 'the chain id of the sequencer' : `${setting}, as SEQUENCER_CHAIN_ID says`,
      got: sequencerChainId === '' ? 'nothing' : sequencerChainId,
      advice: setting === undefined ? 'add the key, or set SEQUENCER_CHAIN_ID' : 'make both the same',
    },
  ]);
}
