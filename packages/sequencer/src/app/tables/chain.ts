import {
  assetId,
  bytes,
  optional,
  type StateReader,
  type StateWriter,
  struct,
  text,
  u32,
  u64,
} from '@switchyard/machine';
import { type Address, type AssetId, Rejected, type RollupId, type Timestamp } from '@switchyard/protocol';
import { isReservedNamespace, rollupNamespace } from '@switchyard/protocol/celestia';
import { cell, present } from './cell.ts';

/** Facts about the chain as a whole. All but `block` are written once, at genesis. */
const id = cell('chain/id', text);
const prefixes = cell('chain/prefixes', struct({ base: text, ibcCompat: text }));
const native = cell('chain/native-asset', optional(assetId));
const limits = cell('chain/limits', struct({ maxSequencedBytesPerBlock: u64, maxTransactionBytes: u64 }));
const appVersion = cell('chain/app-version', u64);
/** 1, or no row at all: chains from before the rule have none until a block activates it. */
const canonical = cell('chain/canonical-transactions', u32, 0);

/** 1, or no row at all: chains from before the rule take submissions for these rollups, whose data can be posted nowhere. */
const refusesReserved = cell('chain/refuse-reserved-rollup-ids', u32, 0);

/** Height and time of the block that is being or was last executed. Seconds are stored as an unsigned number of 64 bits. */
export const block = cell('chain/block', struct({ height: u64, seconds: u64, nanos: u32 }));

/** Identifies the genesis a database was made from. Not part of the state: two spellings of one genesis are one chain. */
export const genesisDigest = cell('index/chain/genesis-digest', bytes);

export interface Chain {
  readonly id: string;
  /** Prefix of addresses on this chain. */
  readonly prefix: string;
  readonly ibcCompatPrefix: string;
  readonly nativeAsset: AssetId | undefined;
  readonly maxSequencedBytesPerBlock: number;
  readonly maxTransactionBytes: number;
  readonly appVersion: bigint;
}

/** The facts that never change, or `undefined` before genesis. */
export function readChain(state: StateReader): Chain | undefined {
  const chainId = id.get(state);
  if (chainId === undefined) return undefined;
  const { base, ibcCompat } = present(prefixes, state);
  const { maxSequencedBytesPerBlock, maxTransactionBytes } = present(limits, state);
  return {
    id: chainId,
    prefix: base,
    ibcCompatPrefix: ibcCompat,
    nativeAsset: native.get(state),
    // Genesis allows no limit above the memory.
    maxSequencedBytesPerBlock: Number(maxSequencedBytesPerBlock),
    maxTransactionBytes: Number(maxTransactionBytes),
    appVersion: present(appVersion, state),
  };
}

export function writeChain(state: StateWriter, chain: Chain): void {
  id.put(state, chain.id);
  prefixes.put(state, { base: chain.prefix, ibcCompat: chain.ibcCompatPrefix });
  native.put(state, chain.nativeAsset);
  limits.put(state, {
    maxSequencedBytesPerBlock: BigInt(chain.maxSequencedBytesPerBlock),
    maxTransactionBytes: BigInt(chain.maxTransactionBytes),
  });
  appVersion.put(state, chain.appVersion);
}

/** Whether a block on this state may hold only envelopes in their one encoding. */
export function requiresCanonical(state: StateReader): boolean {
  return canonical.get(state) === 1;
}

/** For a chain that begins. */
export function requireCanonical(state: StateWriter): void {
  canonical.put(state, 1);
}

/** For a chain that begins. */
export function refuseReservedRollups(state: StateWriter): void {
  refusesReserved.put(state, 1);
}

/**
 * Refuses a rollup whose namespace on the data-availability layer is the layer's own: no block with its data could become firm.
 *
 * @throws {Rejected} `malformed`, on chains that have the rule.
 */
export function mustBePostable(state: StateReader, rollup: RollupId): void {
  if (!isReservedNamespace(rollupNamespace(rollup)) || refusesReserved.get(state) !== 1) return;
  const problem = 'rollup ids that begin with nine zero bytes are reserved by the data-availability layer';
  throw new Rejected('malformed', { field: 'rollupId', problem, got: rollup });
}

export function writeBlock(state: StateWriter, height: bigint, time: Timestamp): void {
  block.put(state, { height, seconds: BigInt.asUintN(64, time.seconds), nanos: time.nanos });
}

/** Prefix of addresses on this chain. */
export function chainPrefix(state: StateReader): string {
  return present(prefixes, state).base;
}

/** @throws {Rejected} `malformed`, for an address that was written for another chain. */
export function mustHavePrefix(state: StateReader, { account, prefix }: Address): void {
  const expected = chainPrefix(state);
  if (prefix !== expected)
    throw new Rejected('malformed', { address: account, expected: `prefix ${expected}`, got: prefix });
}
