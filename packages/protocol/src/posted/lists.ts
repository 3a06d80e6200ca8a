/**
 * The lists that a blob holds once it is decompressed: `SubmittedMetadataList` and `SubmittedRollupDataList`, whose only field
 * is their entries. So lists one after another are a list of all their entries.
 */

import { type RollupId, rollupIdBytes } from '../accounts/ids.ts';
import type { SequencerHeader } from '../blocks/block.ts';
import {
  exactly,
  present,
  readHeader,
  readProof,
  readRollupId,
  writeHeader,
  writeProof,
} from '../blocks/block-codec.ts';
import type { MerkleProof } from '../blocks/merkle.ts';
import { Reader } from '../bytes/reader.ts';
import { sizeOfBytesField, Writer } from '../bytes/writer.ts';
import { createValidator } from '../comet/commit.ts';
import { decodeSignedHeader } from '../comet/decode.ts';
import { encodeSignedHeader } from '../comet/encode.ts';
import type { SignedHeader, Validator } from '../comet/types.ts';
import { Rejected } from '../errors.ts';
import type { PostedMetadata, PostedRollupData } from './entries.ts';
import { MOST_LIST_TRANSACTIONS } from './limits.ts';

const ENTRIES = 1;
/** Ours, far above those of the reference: its readers pass over them. */
const SIGNED_HEADER = 1_001;
const VALIDATORS = 1_002;
/** Field number of padding in the list itself. */
const PADDING = 1_003;
/** More than any list within the limits of the readers has; each costs memory before anything is proven. */
const MAX_ENTRIES = 100_000;
const MAX_ROLLUP_IDS = 1_000_000;
/** CometBFT's own limit is lower. */
const MAX_VALIDATORS = 65_536;

/** An encoded list with one entry. */
export function encodePostedMetadata(metadata: PostedMetadata): Uint8Array {
  const { hash, header, rollupIds, rollupTransactionsProof, rollupIdsProof, signed, validators } = metadata;
  return new Writer(1_024 + 40 * rollupIds.length)
    .message(ENTRIES, (entry) => {
      entry.bytes(1, hash).message(2, (writer) => writeHeader(writer, header));
      for (const id of rollupIds) entry.message(3, (writer) => writer.bytes(1, rollupIdBytes(id)));
      entry.message(4, (proof) => writeProof(proof, rollupTransactionsProof));
      entry.message(5, (proof) => writeProof(proof, rollupIdsProof));
      if (signed !== undefined) entry.bytesAlways(SIGNED_HEADER, encodeSignedHeader(signed));
      if (validators !== undefined) entry.message(VALIDATORS, (set) => writeValidators(set, validators));
    })
    .finish();
}

/** An encoded list with one entry. */
export function encodePostedRollupData({ blockHash, rollup, transactions, proof }: PostedRollupData): Uint8Array {
  const size = transactions.reduce((sum, { length }) => sum + sizeOfBytesField(length), 2_048);
  return new Writer(size)
    .message(ENTRIES, (entry) => {
      entry.bytes(1, blockHash).message(2, (id) => id.bytes(1, rollupIdBytes(rollup)));
      for (const transaction of transactions) entry.bytesAlways(3, transaction);
      entry.message(4, (path) => writeProof(path, proof));
    })
    .finish();
}

/** Nothing is verified. Byte strings are views of the input. @throws {Rejected} `malformed`, if any entry is. */
export function decodePostedMetadata(bytes: Uint8Array): readonly PostedMetadata[] {
  return readEntries(bytes, 'SubmittedMetadata', readMetadata);
}

/** An encoded list without entries, which readers pass over: for lists that would be compressed too well. */
export function encodePadding(bytes: Uint8Array): Uint8Array {
  return new Writer(bytes.length + 16).bytesAlways(PADDING, bytes).finish();
}

/** Nothing is verified. Byte strings are views of the input. @throws {Rejected} `malformed`, if any entry is. */
export function decodePostedRollupData(bytes: Uint8Array): readonly PostedRollupData[] {
  const transactions = { count: 0 };
  return readEntries(bytes, 'SubmittedRollupData', (reader) => readRollupData(reader, transactions));
}

function readEntries<T>(bytes: Uint8Array, what: string, read: (reader: Reader) => T): readonly T[] {
  const reader = new Reader(bytes, `${what}List`);
  const entries: T[] = [];
  while (reader.next()) {
    if (reader.field !== ENTRIES) {
      reader.skip();
      continue;
    }
    bounded(what, entries.length, MAX_ENTRIES);
    entries.push(read(reader.message(what)));
  }
  return entries;
}

function readMetadata(reader: Reader): PostedMetadata {
  const rollupIds: RollupId[] = [];
  let hash: Uint8Array = new Uint8Array();
  let header: SequencerHeader | undefined;
  let rollupTransactionsProof: MerkleProof | undefined;
  let rollupIdsProof: MerkleProof | undefined;
  let signed: SignedHeader | undefined;
  let validators: readonly Validator[] | undefined;
  while (reader.next()) {
    if (reader.field === 1) hash = reader.bytes();
    else if (reader.field === 2) header = readHeader(reader.message('SequencerBlockHeader'));
    else if (reader.field === 3) {
      bounded('rollup ids', rollupIds.length, MAX_ROLLUP_IDS);
      rollupIds.push(readRollupId(reader.message('RollupId')));
    } else if (reader.field === 4) rollupTransactionsProof = readProof(reader.message('Proof'));
    else if (reader.field === 5) rollupIdsProof = readProof(reader.message('Proof'));
    else if (reader.field === SIGNED_HEADER) signed = decodeSignedHeader(reader.bytes());
    else if (reader.field === VALIDATORS) validators = readValidators(reader.message('ValidatorSet'));
    else reader.skip();
  }
  return {
    hash: exactly('block hash', hash, 32),
    header: present('header', header),
    rollupIds,
    rollupTransactionsProof: present('rollup transactions proof', rollupTransactionsProof),
    rollupIdsProof: present('rollup ids proof', rollupIdsProof),
    signed,
    validators,
  };
}

function readRollupData(reader: Reader, ofList: { count: number }): PostedRollupData {
  const transactions: Uint8Array[] = [];
  let blockHash: Uint8Array = new Uint8Array();
  let rollup: RollupId | undefined;
  let proof: MerkleProof | undefined;
  while (reader.next()) {
    if (reader.field === 1) blockHash = reader.bytes();
    else if (reader.field === 2) rollup = readRollupId(reader.message('RollupId'));
    else if (reader.field === 3) {
      bounded('transactions', ofList.count, MOST_LIST_TRANSACTIONS);
      ofList.count += 1;
      transactions.push(reader.bytes());
    } else if (reader.field === 4) proof = readProof(reader.message('Proof'));
    else reader.skip();
  }
  return {
    blockHash: exactly('block hash', blockHash, 32),
    rollup: present('rollup id', rollup),
    transactions,
    proof: present('rollup proof', proof),
  };
}

/** Writes them like `tendermint.types.ValidatorSet`, without addresses and priorities, which follow from the rest or are not hashed. */
function writeValidators(writer: Writer, validators: readonly Validator[]): void {
  for (const { publicKey, power } of validators)
    writer.message(1, (validator) => validator.message(2, (key) => key.bytesAlways(1, publicKey)).int64(3, power));
}

function readValidators(reader: Reader): readonly Validator[] {
  const validators: Validator[] = [];
  while (reader.next()) {
    if (reader.field !== 1) {
      reader.skip();
      continue;
    }
    bounded('validators', validators.length, MAX_VALIDATORS);
    validators.push(readValidator(reader.message('Validator')));
  }
  return validators;
}

function readValidator(reader: Reader): Validator {
  let publicKey: Uint8Array = new Uint8Array();
  let power = 0n;
  while (reader.next()) {
    if (reader.field === 2) {
      const key = reader.message('PublicKey');
      while (key.next()) {
        if (key.field === 1) publicKey = key.bytes();
        else key.skip();
      }
    } else if (reader.field === 3) power = reader.int64();
    else reader.skip();
  }
  return createValidator(exactly('public key', publicKey, 32), power);
}

function bounded(what: string, count: number, most: number): void {
  if (count >= most) throw new Rejected('malformed', { message: what, expected: `at most ${most}` });
}
