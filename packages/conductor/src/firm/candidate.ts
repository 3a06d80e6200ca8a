/** Posted parts of blocks, with copies of their own and approximate sizes. */
import { checkClaims } from '@switchyard/client';
import {
  blockFromPosted,
  createValidator,
  decodePostedMetadata,
  decodePostedRollupData,
  encodePostedMetadata,
  encodePostedRollupData,
  equalBytes,
  headerHash,
  type PostedMetadata,
  type PostedRollupData,
  Rejected,
  type SignedHeader,
  toHex,
  type Validator,
  validatorSetHash,
  verifyFilteredBlock,
} from '@switchyard/protocol';
import type { Opened } from './open-blobs.ts';

/** A posted block. */
export interface Candidate {
  readonly metadata: PostedMetadata & { readonly signed: SignedHeader };
  /** Hex of the hash of its signed header: a block's hash covers all that was posted of it but the signatures. */
  readonly identity: string;
  /** Validators that its header names, if they were posted with it or before it. Anybody may have posted them. */
  readonly validators: readonly Validator[] | undefined;
  /** Hex of the hash of these validators. */
  readonly set: string;
  /** The validators that were announced when it came have signed it. */
  readonly isProven: boolean;
  /** The account of the layer whose room it takes; undefined for the next block, and for proven parts. */
  readonly takesRoomOf: string | undefined;
  /** Undefined while a rollup with data in the block lacks it. */
  data: PostedRollupData | undefined;
  /** Height of the layer at which the last part of it was found. */
  layerHeight: bigint;
}

/** Validator sets by the hex of their hash. */
export type Sets = ReadonlyMap<string, readonly Validator[]>;

/** Relayers post a set when it changes and at the beginning of a blob: it is that of the blocks after it, too. */
export function getSets(metadata: readonly Opened<PostedMetadata>[]): Sets {
  const sets = new Map<string, readonly Validator[]>();
  for (const {
    entry: { validators },
  } of metadata) {
    if (validators === undefined) continue;
    const hash = toHex(validatorSetHash(validators));
    if (!sets.has(hash))
      sets.set(
        hash,
        validators.map(({ publicKey, power }) => createValidator(publicKey.slice(), power)),
      );
  }
  return sets;
}

/** Alongside contents: objects, proofs, signatures. */
const ENTRY_BYTES = 2_048;
const ID_BYTES = 96;

export const countBytes = ({ metadata, validators = [], data }: Candidate): number =>
  ENTRY_BYTES +
  ID_BYTES * (metadata.rollupIds.length + validators.length) +
  (data === undefined ? 0 : bytesOfData(data));

export const bytesOfData = ({ transactions }: PostedRollupData): number =>
  transactions.reduce((sum, { length }) => sum + length + 64, ENTRY_BYTES);

/** Entries are views of their whole blob, which may be large: kept ones get bytes of their own. */
export function ownMetadata(metadata: PostedMetadata, signed: SignedHeader): Candidate['metadata'] {
  const [own = metadata] = decodePostedMetadata(encodePostedMetadata({ ...metadata, validators: undefined }));
  return { ...own, signed: own.signed ?? signed };
}

export function ownData(data: PostedRollupData): PostedRollupData {
  const [own = data] = decodePostedRollupData(encodePostedRollupData(data));
  return own;
}

/** Whether all that it claims is proven by its hash. */
export function isConsistent(metadata: PostedMetadata, signed: SignedHeader): boolean {
  if (!equalBytes(metadata.hash, headerHash(signed.header))) return false;
  const block = blockFromPosted(metadata, undefined);
  return passes(() => {
    checkClaims(metadata.header.height, block, signed);
    verifyFilteredBlock(block, []);
  });
}

export function passes(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof Rejected) return false;
    throw error;
  }
}
