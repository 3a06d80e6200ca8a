import { Reader } from '../bytes/reader.ts';
import { readTimestamp, type Timestamp } from '../bytes/timestamp.ts';
import { Rejected } from '../errors.ts';
import { headerBytes } from './header-bytes.ts';
import {
  type BlockId,
  type CometBlock,
  type CometHeader,
  type Commit,
  type CommitSig,
  NO_BLOCK,
  NO_COMMIT,
  type SignedHeader,
} from './types.ts';

const NONE: Uint8Array = new Uint8Array();
const BEGINNING: Timestamp = { seconds: 0n, nanos: 0 };

/** Nothing is verified. @throws {Rejected} `malformed` */
export function decodeSignedHeader(bytes: Uint8Array): SignedHeader {
  const reader = new Reader(bytes, 'SignedHeader');
  let header: CometHeader | undefined;
  let commit: Commit | undefined;
  while (reader.next()) {
    if (reader.field === 1) header = readCometHeader(reader.message('Header'));
    else if (reader.field === 2) commit = readCommit(reader.message('Commit'));
    else reader.skip();
  }
  if (header === undefined || commit === undefined) {
    throw new Rejected('malformed', { message: 'SignedHeader', expected: 'header and commit' });
  }
  return { header, commit };
}

/** Evidence is passed over. @throws {Rejected} `malformed` */
export function decodeBlock(bytes: Uint8Array): CometBlock {
  const reader = new Reader(bytes, 'Block');
  const txs: Uint8Array[] = [];
  let header: CometHeader | undefined;
  let lastCommit = NO_COMMIT;
  while (reader.next()) {
    if (reader.field === 1) header = readCometHeader(reader.message('Header'));
    else if (reader.field === 2) {
      const data = reader.message('Data');
      while (data.next()) {
        if (data.field === 1) txs.push(data.bytes());
        else data.skip();
      }
    } else if (reader.field === 4) lastCommit = readCommit(reader.message('Commit'));
    else reader.skip();
  }
  if (header === undefined) throw new Rejected('malformed', { message: 'Block', expected: 'header' });
  return { header, txs, lastCommit };
}

function readCometHeader(reader: Reader): CometHeader {
  let version = { block: 0n, app: 0n };
  let chainId = '';
  let height = 0n;
  let time = BEGINNING;
  let lastBlockId = NO_BLOCK;
  const hashes: Uint8Array[] = [];
  while (reader.next()) {
    if (reader.field === 1) version = readVersion(reader.message('Consensus'));
    else if (reader.field === 2) chainId = reader.string();
    else if (reader.field === 3) height = reader.int64();
    else if (reader.field === 4) time = readTimestamp(reader.message('Timestamp'));
    else if (reader.field === 5) lastBlockId = readBlockId(reader.message('BlockID'));
    else if (reader.field >= 6 && reader.field <= 14) hashes[reader.field] = reader.bytes();
    else reader.skip();
  }
  return {
    version,
    chainId,
    height,
    time,
    lastBlockId,
    ...headerBytes((_, field) => hashes[field] ?? NONE),
  };
}

function readVersion(reader: Reader): CometHeader['version'] {
  let block = 0n;
  let app = 0n;
  while (reader.next()) {
    if (reader.field === 1) block = reader.uint64();
    else if (reader.field === 2) app = reader.uint64();
    else reader.skip();
  }
  return { block, app };
}

function readBlockId(reader: Reader): BlockId {
  let { hash, parts } = NO_BLOCK;
  while (reader.next()) {
    if (reader.field === 1) hash = reader.bytes();
    else if (reader.field === 2) parts = readParts(reader.message('PartSetHeader'));
    else reader.skip();
  }
  return { hash, parts };
}

function readParts(reader: Reader): BlockId['parts'] {
  let { total, hash } = NO_BLOCK.parts;
  while (reader.next()) {
    if (reader.field === 1) total = reader.uint32();
    else if (reader.field === 2) hash = reader.bytes();
    else reader.skip();
  }
  return { total, hash };
}

function readCommit(reader: Reader): Commit {
  const signatures: CommitSig[] = [];
  let height = 0n;
  let round = 0;
  let blockId = NO_BLOCK;
  while (reader.next()) {
    if (reader.field === 1) height = reader.int64();
    else if (reader.field === 2) round = reader.int32();
    else if (reader.field === 3) blockId = readBlockId(reader.message('BlockID'));
    else if (reader.field === 4) signatures.push(readCommitSig(reader.message('CommitSig')));
    else reader.skip();
  }
  return { height, round, blockId, signatures };
}

function readCommitSig(reader: Reader): CommitSig {
  let flag = 0;
  let validator = NONE;
  let timestamp = BEGINNING;
  let signature = NONE;
  while (reader.next()) {
    if (reader.field === 1) flag = reader.uint32();
    else if (reader.field === 2) validator = reader.bytes();
    else if (reader.field === 3) timestamp = readTimestamp(reader.message('Timestamp'));
    else if (reader.field === 4) signature = reader.bytes();
    else reader.skip();
  }
  if (flag === 1) return { flag: 'absent' };
  if (flag !== 2 && flag !== 3) throw new Rejected('malformed', { message: 'CommitSig', part: 'flag', got: flag });
  return { flag: flag === 2 ? 'commit' : 'nil', validator, timestamp, signature };
}
