/** Arbitrary values of the protocol for random search, and keys that everybody knows. */
import fc from 'fast-check';
import type { Address } from './accounts/address.ts';
import { type Denom, ibcForm, parseDenom } from './accounts/asset.ts';
import {
  type AccountId,
  accountIdFromBytes,
  assetIdFromBytes,
  type RollupId,
  rollupIdFromBytes,
  txHashFromBytes,
} from './accounts/ids.ts';
import { createSigner, parseSeed, type Signer } from './accounts/keys.ts';
import { ACTION_KINDS, type ActionOf, type SupportedAction } from './actions/index.ts';
import { buildSequencerBlock, commitRollupData, type FilteredBlock, type SequencerBlock } from './blocks/block.ts';
import { type Deposit, encodeDeposit } from './blocks/rollup-data.ts';
import type { Timestamp } from './bytes/timestamp.ts';
import { U128_MAX } from './bytes/uint128.ts';
import { sizeOfBytesField, Writer } from './bytes/writer.ts';
import { createValidator, voteSignBytes } from './comet/commit.ts';
import { writeCommit } from './comet/encode.ts';
import { evidenceHash, headerHash, validatorSetHash } from './comet/hashes.ts';
import {
  type BlockId,
  type CometHeader,
  type Commit,
  type CommitSig,
  NO_BLOCK,
  type SignedHeader,
  type Validator,
} from './comet/types.ts';

/** Published test keys. Never for anything of value. */
export const alice: Signer = createSigner(
  parseSeed('2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90'),
);
export const bob: Signer = createSigner(parseSeed('b70fd3b99cab2d98dbd73602deb026b9cdc9bb7b85d35f0bbb81b17c78923dd0'));
export const carol: Signer = createSigner(
  parseSeed('0e951afdcbefc420fe6f71b82b0c28c11eb6ee5d95be0886ce9dbf6fa512debc'),
);

export const anyBytes = (size?: { minLength?: number; maxLength?: number }): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array(size);
export const toBytes = (length: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: length, maxLength: length });
export const anyU64: fc.Arbitrary<bigint> = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
export const anyU128: fc.Arbitrary<bigint> = fc.bigInt({ min: 0n, max: U128_MAX });
export const anyU32: fc.Arbitrary<number> = fc.nat({ max: 0xffff_ffff });
/** Well-formed UTF-8, since the wire carries nothing else. */
export const anyText: fc.Arbitrary<string> = fc.string({ unit: 'grapheme', maxLength: 40 });

export const anyAccount: fc.Arbitrary<AccountId> = toBytes(20).map(accountIdFromBytes);
export const anyRollupId: fc.Arbitrary<RollupId> = toBytes(32).map(rollupIdFromBytes);
export const anyAddress: fc.Arbitrary<Address> = fc.record({
  account: anyAccount,
  prefix: fc.constantFrom('astria', 'foo', 'a1b'),
});
export const anyDenom: fc.Arbitrary<Denom> = fc.oneof(
  fc.constantFrom('nria', 'ntia', 'transfer/channel-0/utia', 'a/b/c/d/e').map(parseDenom),
  toBytes(32).map((id) => parseDenom(ibcForm(assetIdFromBytes(id)))),
);
export const anyTimestamp: fc.Arbitrary<Timestamp> = fc.record({
  seconds: fc.bigInt({ min: -62_135_596_800n, max: 253_402_300_799n }),
  nanos: fc.nat({ max: 999_999_999 }),
});

const withdrawal = { rollupBlockNumber: anyU64, withdrawalEvent: anyText };
/** One generator per kind that the sequencer runs: a new kind does not compile until it has one. */
const anyActionOf: { readonly [K in SupportedAction['kind']]: FieldsOf<ActionOf<K>> } = {
  transfer: { to: anyAddress, amount: anyU128, asset: anyDenom, feeAsset: anyDenom },
  rollupDataSubmission: { rollup: anyRollupId, data: anyBytes(), feeAsset: anyDenom },
  initBridgeAccount: {
    rollup: anyRollupId,
    asset: anyDenom,
    feeAsset: anyDenom,
    sudo: fc.option(anyAddress, { nil: undefined }),
    withdrawer: fc.option(anyAddress, { nil: undefined }),
  },
  bridgeLock: { to: anyAddress, amount: anyU128, asset: anyDenom, feeAsset: anyDenom, destination: anyText },
  bridgeUnlock: {
    to: anyAddress,
    amount: anyU128,
    feeAsset: anyDenom,
    memo: anyText,
    bridge: anyAddress,
    ...withdrawal,
  },
  bridgeTransfer: {
    to: anyAddress,
    amount: anyU128,
    feeAsset: anyDenom,
    destination: anyText.filter((text) => text !== ''),
    bridge: anyAddress,
    ...withdrawal,
  },
  bridgeSudoChange: {
    bridge: anyAddress,
    newSudo: fc.option(anyAddress, { nil: undefined }),
    newWithdrawer: fc.option(anyAddress, { nil: undefined }),
    feeAsset: anyDenom,
    disableDeposits: fc.boolean(),
  },
  sudoAddressChange: { newAddress: anyAddress },
  validatorUpdate: { publicKey: toBytes(32), power: anyU32.map(BigInt), name: anyText },
  feeChange: { action: fc.constantFrom(...ACTION_KINDS), base: anyU128, multiplier: anyU128 },
  feeAssetChange: { change: fc.constantFrom('addition' as const, 'removal' as const), asset: anyDenom },
};

type FieldsOf<A> = { readonly [F in keyof Omit<A, 'kind'>]: fc.Arbitrary<A[F & keyof A]> };

export const anyAction: fc.Arbitrary<SupportedAction> = fc.oneof(
  ...Object.entries<Readonly<Record<string, fc.Arbitrary<unknown>>>>(anyActionOf).map(([kind, fields]) =>
    fc.record({ ...fields, kind: fc.constant(kind) }),
  ),
  // Each record has exactly the members of its kind.
) as unknown as fc.Arbitrary<SupportedAction>;

export const anyDeposit: fc.Arbitrary<Deposit> = fc.record({
  bridge: anyAddress,
  rollup: anyRollupId,
  amount: anyU128,
  asset: anyDenom.map(({ text }) => text),
  destination: anyText,
  sourceTransaction: toBytes(32).map(txHashFromBytes),
  sourceAction: anyU64,
});

/** Data of some rollups in one block. */
export const anyRollupData: fc.Arbitrary<ReadonlyMap<RollupId, readonly Uint8Array[]>> = fc
  .dictionary(
    anyRollupId,
    fc.array(fc.oneof(anyBytes().map(encodeSequencedData), anyDeposit.map(encodeDeposit)), {
      minLength: 1,
      maxLength: 8,
    }),
    { maxKeys: 6 },
  )
  .map((entries) => new Map(Object.entries(entries) as [RollupId, Uint8Array[]][])); // keys as generated above

export const anyBlock: fc.Arbitrary<SequencerBlock> = fc
  .record({
    byRollup: anyRollupData,
    transactions: fc.array(anyBytes(), { maxLength: 5 }),
    hash: toBytes(32),
    chainId: anyText,
    height: anyU64,
    time: anyTimestamp,
    proposer: toBytes(20),
  })
  .map(({ byRollup, transactions, ...parts }) => {
    const committed = commitRollupData(byRollup);
    const items = [committed.rollupTransactionsRoot, committed.rollupIdsRoot, ...transactions];
    return buildSequencerBlock({ ...parts, items, committed });
  });

export const anyBlockId: fc.Arbitrary<BlockId> = fc.record({
  hash: toBytes(32),
  parts: fc.record({ total: anyU32, hash: toBytes(32) }),
});

const anyHash = fc.oneof(toBytes(32), fc.constant(new Uint8Array()));
const anyHeight = fc.bigInt({ min: 0n, max: (1n << 63n) - 1n });

export const anyCometHeader: fc.Arbitrary<CometHeader> = fc.record({
  version: fc.record({ block: anyU64, app: anyU64 }),
  chainId: anyText,
  height: anyHeight,
  time: anyTimestamp,
  lastBlockId: anyBlockId,
  lastCommitHash: anyHash,
  dataHash: anyHash,
  validatorsHash: anyHash,
  nextValidatorsHash: anyHash,
  consensusHash: anyHash,
  appHash: anyBytes(),
  lastResultsHash: anyHash,
  evidenceHash: anyHash,
  proposerAddress: toBytes(20),
});

const anyCommitSig: fc.Arbitrary<CommitSig> = fc.oneof(
  fc.constant({ flag: 'absent' } as const),
  fc.record({
    flag: fc.constantFrom('commit' as const, 'nil' as const),
    validator: toBytes(20),
    timestamp: anyTimestamp,
    signature: toBytes(64),
  }),
);

export const anyCommit: fc.Arbitrary<Commit> = fc.record({
  height: anyHeight,
  round: fc.nat({ max: 0x7fff_ffff }),
  blockId: anyBlockId,
  signatures: fc.array(anyCommitSig, { maxLength: 6 }),
});

/** Encodings that are nearly right: some bytes changed, some cut off, some added. */
export function anyDamaged(valid: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> {
  const change = fc.record({ at: fc.nat(), to: fc.nat({ max: 255 }) });
  return fc
    .record({
      bytes: valid,
      changes: fc.array(change, { maxLength: 3 }),
      cut: fc.nat({ max: 3 }),
      tail: fc.uint8Array({ maxLength: 3 }),
    })
    .map(({ bytes, changes, cut, tail }) => {
      const damaged = new Uint8Array(Math.max(0, bytes.length - cut) + tail.length);
      damaged.set(bytes.subarray(0, damaged.length - tail.length));
      damaged.set(tail, damaged.length - tail.length);
      for (const { at, to } of changes) if (damaged.length > 0) damaged[at % damaged.length] = to;
      return damaged;
    });
}

/** A set in which each has the same power. */
export const getValidators = (signers: readonly Signer[]) =>
  signers.map(({ publicKey }) => createValidator(publicKey, 10n));

/** A header without contents, signed by all of a set. */
export function signedHeader(height: bigint, signers: readonly Signer[], chainId = 'chain'): SignedHeader {
  const validators = getValidators(signers);
  const time = { seconds: 1_700_000_000n + height, nanos: 0 };
  const hash = validatorSetHash(validators);
  const nothing = new Uint8Array(32);
  const header: CometHeader = {
    ...{ version: { block: 11n, app: 1n }, chainId, height, time, lastBlockId: NO_BLOCK },
    ...{ lastCommitHash: nothing, dataHash: nothing, consensusHash: nothing, appHash: nothing },
    lastResultsHash: nothing,
    validatorsHash: hash,
    nextValidatorsHash: hash,
    evidenceHash: evidenceHash(),
    proposerAddress: validators[0]?.address ?? nothing.subarray(0, 20),
  };
  const blockId = { hash: headerHash(header), parts: { total: 1, hash: nothing } };
  const message = voteSignBytes(chainId, { height, round: 0, blockId, timestamp: time });
  const signatures = signers.map((signer, index) => ({
    flag: 'commit' as const,
    validator: validators[index]?.address ?? nothing,
    timestamp: time,
    signature: signer.sign(message),
  }));
  return { header, commit: { height, round: 0, blockId, signatures } };
}

/** The order of a validator set: most power first, then by address. */
export const sortValidators = (validators: readonly Validator[]): Validator[] =>
  validators.toSorted((left, right) =>
    left.power === right.power ? Buffer.compare(left.address, right.address) : left.power > right.power ? -1 : 1,
  );

/** An encoded `tendermint.types.Commit`. */
export function encodeCommit(commit: Commit): Uint8Array {
  const writer = new Writer();
  writeCommit(writer, commit);
  return writer.finish();
}

/** Keeps the entries of the rollups asked for, in the requested order. */
export function filterBlock(block: SequencerBlock, ids: readonly RollupId[]): FilteredBlock {
  const wanted = new Set(ids);
  const rollups = [...wanted].flatMap((id) => block.rollups.find(({ rollup }) => rollup === id) ?? []);
  return { ...block, rollups, allRollupIds: block.rollups.map(({ rollup }) => rollup) };
}

/** A user's submission, tagged so that it can never pass for a deposit. */
export function encodeSequencedData(data: Uint8Array): Uint8Array {
  return new Writer(sizeOfBytesField(data.length)).bytesAlways(1, data).finish();
}
