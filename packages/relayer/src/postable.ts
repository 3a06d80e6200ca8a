/** A verified block in its posted form. */
import {
  encodePostedMetadata,
  encodePostedRollupData,
  postedMetadata,
  postedRollupData,
  type RollupId,
  type SequencerBlock,
  type SignedHeader,
  type Validator,
} from '@switchyard/protocol';
import {
  isReservedNamespace,
  type Namespace,
  rollupNamespace,
  sequencerNamespace,
} from '@switchyard/protocol/celestia';

export interface ProvenBlock {
  readonly block: SequencerBlock;
  readonly signed: SignedHeader;
  /** Validators that may sign it, in their order. */
  readonly validators: readonly Validator[];
  /** They are others than those of the block before. */
  readonly isNewSet: boolean;
}

/** An encoded list with one entry, and its place. */
export interface Part {
  readonly namespace: Namespace;
  readonly list: Uint8Array;
}

export interface RollupPart extends Part {
  readonly rollup: RollupId;
  /** Size of the rollup's data. */
  readonly rollupBytes: number;
  readonly transactions: number;
}

export interface PostableBlock {
  readonly height: bigint;
  /** 32 bytes. */
  readonly hash: Uint8Array;
  readonly metadata: Part;
  /** Metadata with the validators, for readers that begin here. */
  readonly metadataWithValidators: Part;
  /** One for each rollup with data in the block, in its order; undefined if the data is not posted. */
  readonly rollups: readonly (RollupPart | undefined)[];
  /** That it takes in memory, about. */
  readonly bytes: number;
}

/** `reserved`: its namespace is the layer's own. `too-large`: for any transaction. `excluded`: by the settings. */
export type LeftOut = 'reserved' | 'too-large' | 'excluded';

export interface PostableOptions {
  readonly sequencerChainId: string;
  /** All, if it is empty. */
  readonly onlyRollups: ReadonlySet<RollupId>;
  /** Called for data that is not posted. The metadata lists its rollup all the same. */
  leftOut(rollup: RollupId, height: bigint, reason: LeftOut): void;
}

export function postableBlock({ block, signed, validators, isNewSet }: ProvenBlock, options: PostableOptions) {
  const { height } = block.header;
  const namespace = sequencerNamespace(options.sequencerChainId);
  const withValidators = {
    namespace,
    list: encodePostedMetadata(postedMetadata(block, signed, validators)),
  };
  const metadata = isNewSet ? withValidators : { namespace, list: encodePostedMetadata(postedMetadata(block, signed)) };
  let bytes = metadata.list.length + withValidators.list.length;
  const rollups = postedRollupData(block).map((data): RollupPart | undefined => {
    const reason = findExclusion(data.rollup, options);
    if (reason !== undefined) {
      options.leftOut(data.rollup, height, reason);
      return undefined;
    }
    const list = encodePostedRollupData(data);
    bytes += list.length;
    const rollupBytes = data.transactions.reduce((sum, { length }) => sum + length, 0);
    return {
      namespace: rollupNamespace(data.rollup),
      list,
      rollup: data.rollup,
      rollupBytes,
      transactions: data.transactions.length,
    };
  });
  return { height, hash: block.hash, metadata, metadataWithValidators: withValidators, rollups, bytes };
}

function findExclusion(rollup: RollupId, { onlyRollups }: PostableOptions): LeftOut | undefined {
  if (onlyRollups.size > 0 && !onlyRollups.has(rollup)) return 'excluded';
  return isReservedNamespace(rollupNamespace(rollup)) ? 'reserved' : undefined;
}
