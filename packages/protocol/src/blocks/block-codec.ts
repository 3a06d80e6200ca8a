/** Blocks as bytes, by hand: a block can hold ten thousand byte strings. Decoded byte strings are views of the input. */

import { ROLLUP_ID_LENGTH, type RollupId, rollupIdBytes, rollupIdFromBytes } from '../accounts/ids.ts';
import { Reader } from '../bytes/reader.ts';
import { readTimestamp, type Timestamp, writeTimestamp } from '../bytes/timestamp.ts';
import { sizeOfBytesField, Writer } from '../bytes/writer.ts';
import { Rejected } from '../errors.ts';
import type { FilteredBlock, RollupEntry, SequencerBlock, SequencerHeader } from './block.ts';
import { type MerkleProof, proofFromWire, proofToWire } from './merkle.ts';

/** An encoded `astria.sequencerblock.v1.SequencerBlock`. */
export function encodeSequencerBlock(block: SequencerBlock): Uint8Array {
  const writer = new Writer(capacityFor(block));
  writer.message(1, (header) => writeHeader(header, block.header));
  for (const entry of block.rollups) writer.message(2, (rollup) => writeRollup(rollup, entry));
  return writer
    .message(3, (proof) => writeProof(proof, block.rollupTransactionsProof))
    .message(4, (proof) => writeProof(proof, block.rollupIdsProof))
    .bytes(5, block.hash)
    .finish();
}

/** An encoded `astria.sequencerblock.v1.FilteredSequencerBlock`. */
export function encodeFilteredBlock(block: FilteredBlock): Uint8Array {
  const writer = new Writer(capacityFor(block) + 40 * block.allRollupIds.length);
  writer.bytes(1, block.hash).message(2, (header) => writeHeader(header, block.header));
  for (const entry of block.rollups) writer.message(3, (rollup) => writeRollup(rollup, entry));
  writer.message(4, (proof) => writeProof(proof, block.rollupTransactionsProof));
  for (const id of block.allRollupIds) writer.message(5, (rollup) => rollup.bytes(1, rollupIdBytes(id)));
  return writer.message(6, (proof) => writeProof(proof, block.rollupIdsProof)).finish();
}

/** Proofs are not checked. @throws {Rejected} `malformed` */
export function decodeSequencerBlock(bytes: Uint8Array): SequencerBlock {
  const reader = new Reader(bytes, 'SequencerBlock');
  const parts = emptyParts();
  while (reader.next()) {
    if (reader.field === 1) parts.header = readHeader(reader.message('SequencerBlockHeader'));
    else if (reader.field === 2) parts.rollups.push(readRollup(reader.message('RollupTransactions')));
    else if (reader.field === 3) parts.rollupTransactionsProof = readProof(reader.message('Proof'));
    else if (reader.field === 4) parts.rollupIdsProof = readProof(reader.message('Proof'));
    else if (reader.field === 5) parts.hash = reader.bytes();
    else reader.skip();
  }
  return complete(parts);
}

/** Proofs are not checked. @throws {Rejected} `malformed` */
export function decodeFilteredBlock(bytes: Uint8Array): FilteredBlock {
  const reader = new Reader(bytes, 'FilteredSequencerBlock');
  const parts = emptyParts();
  const allRollupIds: RollupId[] = [];
  while (reader.next()) {
    if (reader.field === 1) parts.hash = reader.bytes();
    else if (reader.field === 2) parts.header = readHeader(reader.message('SequencerBlockHeader'));
    else if (reader.field === 3) parts.rollups.push(readRollup(reader.message('RollupTransactions')));
    else if (reader.field === 4) parts.rollupTransactionsProof = readProof(reader.message('Proof'));
    else if (reader.field === 5) allRollupIds.push(readRollupId(reader.message('RollupId')));
    else if (reader.field === 6) parts.rollupIdsProof = readProof(reader.message('Proof'));
    else reader.skip();
  }
  return { ...complete(parts), allRollupIds };
}

interface Parts {
  hash: Uint8Array;
  header: SequencerHeader | undefined;
  readonly rollups: RollupEntry[];
  rollupTransactionsProof: MerkleProof | undefined;
  rollupIdsProof: MerkleProof | undefined;
}

function emptyParts(): Parts {
  const absent = undefined;
  return {
    hash: new Uint8Array(),
    header: absent,
    rollups: [],
    rollupTransactionsProof: absent,
    rollupIdsProof: absent,
  };
}

function complete({ hash, header, rollups, rollupTransactionsProof, rollupIdsProof }: Parts): SequencerBlock {
  return {
    hash: exactly('block hash', hash, 32),
    header: present('header', header),
    rollups,
    rollupTransactionsProof: present('rollup transactions proof', rollupTransactionsProof),
    rollupIdsProof: present('rollup ids proof', rollupIdsProof),
  };
}

export function writeHeader(writer: Writer, header: SequencerHeader): void {
  writer
    .string(1, header.chainId)
    .uint64(2, header.height)
    .message(3, (time) => writeTimestamp(time, header.time))
    .bytes(4, header.dataHash)
    .bytes(5, header.proposer)
    .bytes(6, header.rollupTransactionsRoot);
}

export function readHeader(reader: Reader): SequencerHeader {
  let chainId = '';
  let height = 0n;
  let time: Timestamp | undefined;
  let dataHash: Uint8Array = new Uint8Array();
  let proposer: Uint8Array = new Uint8Array();
  let root: Uint8Array = new Uint8Array();
  while (reader.next()) {
    if (reader.field === 1) chainId = reader.string();
    else if (reader.field === 2) height = reader.uint64();
    else if (reader.field === 3) time = readTimestamp(reader.message('Timestamp'));
    else if (reader.field === 4) dataHash = reader.bytes();
    else if (reader.field === 5) proposer = reader.bytes();
    else if (reader.field === 6) root = reader.bytes();
    else reader.skip();
  }
  return {
    chainId,
    height,
    time: present('time', time),
    dataHash: exactly('data hash', dataHash, 32),
    proposer: exactly('proposer address', proposer, 20),
    rollupTransactionsRoot: exactly('rollup transactions root', root, 32),
  };
}

function writeRollup(writer: Writer, { rollup, transactions, proof }: RollupEntry): void {
  writer.message(1, (id) => id.bytes(1, rollupIdBytes(rollup)));
  for (const transaction of transactions) writer.bytesAlways(2, transaction);
  writer.message(3, (path) => writeProof(path, proof));
}

function readRollup(reader: Reader): RollupEntry {
  const transactions: Uint8Array[] = [];
  let rollup: RollupId | undefined;
  let proof: MerkleProof | undefined;
  while (reader.next()) {
    if (reader.field === 1) rollup = readRollupId(reader.message('RollupId'));
    else if (reader.field === 2) transactions.push(reader.bytes());
    else if (reader.field === 3) proof = readProof(reader.message('Proof'));
    else reader.skip();
  }
  return { rollup: present('rollup id', rollup), transactions, proof: present('rollup proof', proof) };
}

export function readRollupId(reader: Reader): RollupId {
  let inner: Uint8Array = new Uint8Array();
  while (reader.next()) {
    if (reader.field === 1) inner = reader.bytes();
    else reader.skip();
  }
  return rollupIdFromBytes(exactly('rollup id', inner, ROLLUP_ID_LENGTH));
}

export function writeProof(writer: Writer, proof: MerkleProof): void {
  const { auditPath, leafIndex, treeSize } = proofToWire(proof);
  writer.bytes(1, auditPath).uint64(2, leafIndex).uint64(3, treeSize);
}

export function readProof(reader: Reader): MerkleProof {
  let auditPath: Uint8Array = new Uint8Array();
  let leafIndex = 0n;
  let treeSize = 0n;
  while (reader.next()) {
    if (reader.field === 1) auditPath = reader.bytes();
    else if (reader.field === 2) leafIndex = reader.uint64();
    else if (reader.field === 3) treeSize = reader.uint64();
    else reader.skip();
  }
  return proofFromWire({ auditPath, leafIndex, treeSize });
}

/** Enough for all byte strings, so that the writer does not grow while it writes. */
function capacityFor({ rollups }: SequencerBlock): number {
  let capacity = 4096;
  for (const { transactions } of rollups) {
    capacity += 2048;
    for (const { length } of transactions) capacity += sizeOfBytesField(length);
  }
  return capacity;
}

export function present<T>(part: string, value: T | undefined): T {
  if (value === undefined) throw new Rejected('malformed', { message: 'SequencerBlock', part, expected: 'present' });
  return value;
}

export function exactly(part: string, bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length === length) return bytes;
  throw new Rejected('malformed', {
    message: 'SequencerBlock',
    part,
    expected: `${length} bytes`,
    got: `${bytes.length} bytes`,
  });
}
