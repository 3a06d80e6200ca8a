/** Hash of a block of a rollup without a virtual machine: nodes compute it, and readers check answers against it. */

import { type BlockHash, blockHashFromBytes, fromHex, type TxHash } from '../accounts/ids.ts';
import { sha256 } from '../bytes/hash.ts';
import { type Timestamp, writeTimestamp } from '../bytes/timestamp.ts';
import { Writer } from '../bytes/writer.ts';
import { merkleRoot } from './merkle.ts';

const utf8 = new TextEncoder();

/** Hash, and parent hash, of block 0. */
export const GENESIS_BLOCK_HASH: BlockHash = blockHashFromBytes(new Uint8Array(32).fill(0x45));

/**
 * Hash that the reference calls the block hash: over parent, executed transactions, credited deposits and time.
 *
 * A deposit's leaf is the hex text of its source transaction, 64 bytes of ASCII.
 * The content hash is the reference messenger's.
 */
export function rollupContentHash(
  parentHash: BlockHash,
  transactions: readonly Uint8Array[],
  deposits: readonly TxHash[],
  time: Timestamp,
): Uint8Array {
  const timestamp = new Writer(24);
  writeTimestamp(timestamp, time);
  return sha256(
    fromHex(parentHash),
    merkleRoot(transactions),
    merkleRoot(deposits.map((source) => utf8.encode(source))),
    timestamp.finish(),
  );
}

/** Fixed-width parts of a block, all that its hash covers. */
export interface RollupBlockParts {
  readonly contentHash: Uint8Array;
  readonly parentHash: BlockHash;
  readonly number: bigint;
  readonly sequencerBlockHash: BlockHash;
  readonly stateRoot: Uint8Array;
  readonly receiptsHash: Uint8Array;
}

const TAG = utf8.encode('switchyard rollup block 1\n');

/** All contents of a block, as fixed-width parts behind a tag: no two blocks have the same bytes. */
export function rollupBlockHash(block: RollupBlockParts): BlockHash {
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
