import {
  type BlockHash,
  blockHashFromBytes,
  fromHex,
  merkleRoot,
  sha256,
  type Timestamp,
  type TxHash,
  Writer,
} from '@switchyard/protocol';

/** Hash, and parent hash, of block 0. */
export const GENESIS_BLOCK_HASH: BlockHash = blockHashFromBytes(new Uint8Array(32).fill(0x45));

/**
 * Hash that the reference calls the block hash: over parent, executed transactions, credited deposits and time.
 *
 * A deposit's leaf is the hex text of its source transaction, 64 bytes of ASCII.
 * The content hash is the reference messenger's.
 */
export function contentHash(
  parentHash: BlockHash,
  transactions: readonly Uint8Array[],
  deposits: readonly TxHash[],
  time: Timestamp,
): Uint8Array {
  return sha256(
    fromHex(parentHash),
    merkleRoot(transactions),
    merkleRoot(deposits.map((source) => Buffer.from(source, 'latin1'))),
    encodeTimestamp(time),
  );
}

export interface BlockCommitment {
  readonly contentHash: Uint8Array;
  readonly parentHash: BlockHash;
  readonly number: bigint;
  readonly sequencerBlockHash: BlockHash;
  readonly stateRoot: Uint8Array;
  readonly receiptsHash: Uint8Array;
}

const TAG = new TextEncoder().encode('switchyard rollup block 1\n');

/** All contents of a block, as fixed-width parts behind a tag: no two blocks have the same bytes. */
export function blockHashOf(block: BlockCommitment): BlockHash {
  const number = new Uint8Array(8);
  new DataView(number.buffer).setBigUint64(0, block.number);
  return blockHashFromBytes(
    sha256(
      TAG,
      block.contentHash,
      fromHex(block.parentHash),
      number,
      fromHex(block.sequencerBlockHash),
      block.stateRoot,
      block.receiptsHash,
    ),
  );
}

/** The protobuf encoding of a Timestamp: zero fields are absent. */
function encodeTimestamp({ seconds, nanos }: Timestamp): Uint8Array {
  return new Writer(24).int64(1, seconds).int32(2, nanos).finish();
}
