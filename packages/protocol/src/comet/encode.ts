/**
 * Encodings as CometBFT's Go code makes them. Embedded messages that Go holds by value are always written, even when
 * empty (part set header, timestamps, block ids in headers and commits): hashes depend on it.
 */
import { writeTimestamp } from '../bytes/timestamp.ts';
import { Writer } from '../bytes/writer.ts';
import { FIRST_BYTES, HEADER_BYTES } from './header-bytes.ts';
import type { BlockId, CometBlock, CometHeader, Commit, CommitSig, SignedHeader } from './types.ts';

const FLAGS = { absent: 1, commit: 2, nil: 3 } as const;
/** Go's zero time, the first of January of the year 1: the time of an absent vote. */
const ZERO_TIME = { seconds: -62_135_596_800n, nanos: 0 };

export function writeBlockId(writer: Writer, { hash, parts }: BlockId): void {
  writer.bytes(1, hash).message(2, (header) => header.uint32(1, parts.total).bytes(2, parts.hash));
}

export function writeVersion(writer: Writer, { block, app }: CometHeader['version']): void {
  writer.uint64(1, block).uint64(2, app);
}

export function writeCometHeader(writer: Writer, header: CometHeader): void {
  writer
    .message(1, (version) => writeVersion(version, header.version))
    .string(2, header.chainId)
    .int64(3, header.height)
    .message(4, (time) => writeTimestamp(time, header.time))
    .message(5, (id) => writeBlockId(id, header.lastBlockId));
  for (const [at, name] of HEADER_BYTES.entries()) writer.bytes(FIRST_BYTES + at, header[name]);
}

export function writeCommitSig(writer: Writer, signature: CommitSig): void {
  writer.uint32(1, FLAGS[signature.flag]);
  if (signature.flag === 'absent') {
    writer.message(3, (time) => writeTimestamp(time, ZERO_TIME));
    return;
  }
  writer
    .bytes(2, signature.validator)
    .message(3, (time) => writeTimestamp(time, signature.timestamp))
    .bytes(4, signature.signature);
}

export function writeCommit(writer: Writer, { height, round, blockId, signatures }: Commit): void {
  writer
    .int64(1, height)
    .int32(2, round)
    .message(3, (id) => writeBlockId(id, blockId));
  for (const signature of signatures) writer.message(4, (entry) => writeCommitSig(entry, signature));
}

/** An encoded `tendermint.types.SignedHeader`. */
export function encodeSignedHeader({ header, commit }: SignedHeader): Uint8Array {
  return new Writer(640 + 112 * commit.signatures.length)
    .message(1, (writer) => writeCometHeader(writer, header))
    .message(2, (writer) => writeCommit(writer, commit))
    .finish();
}

/** An encoded `tendermint.types.Block` without evidence, the bytes that are cut into parts. */
export function encodeBlock({ header, txs, lastCommit }: CometBlock): Uint8Array {
  let capacity = 1024 + 112 * lastCommit.signatures.length;
  for (const tx of txs) capacity += tx.length + 6;
  return new Writer(capacity)
    .message(1, (writer) => writeCometHeader(writer, header))
    .message(2, (data) => {
      for (const tx of txs) data.bytesAlways(1, tx);
    })
    .message(3, () => undefined)
    .message(4, (writer) => writeCommit(writer, lastCommit))
    .finish();
}
