import {
  blockHash,
  decodeValue,
  encodeValue,
  raw,
  type StateReader,
  type StateWriter,
  struct,
  table,
  u32,
  u64,
  u64Key,
} from '@switchyard/machine';

/*
 * How a block lies in the database, by number. A row is whole, or short: the parts that an idle block does not share with the
 * rows that it names. Behind either is the digest of the block's inputs, in one of three forms: 32 bytes; one byte, how
 * many idle blocks lie between here and such a row; or nothing, as in the row of block 0.
 */

const whole = struct({
  hash: blockHash,
  parentHash: blockHash,
  seconds: u64,
  nanos: u32,
  sequencerBlockHash: blockHash,
  contentHash: blockHash,
  stateRoot: blockHash,
  receiptsHash: blockHash,
  executed: u32,
  refused: u32,
  deposits: u32,
  skippedDeposits: u32,
});
/** `base`: how many blocks before this one the whole row is that has the rest. */
const short = struct({ hash: blockHash, sequencerBlockHash: blockHash, seconds: u64, nanos: u32, base: u32 });
const WHOLE_BYTES = 220;
const SHORT_BYTES = 80;
const DIGEST_BYTES = 32;

export type StoredBlock = ReturnType<(typeof whole)['read']>;
export type ShortBlock = ReturnType<(typeof short)['read']>;

/** The digest itself, or how many blocks before this one the row is from which it is computed. */
export type RowDigest = Uint8Array | number | undefined;

export type BlockRow =
  | { readonly form: 'whole'; readonly block: StoredBlock; readonly digest: RowDigest }
  | { readonly form: 'short'; readonly block: ShortBlock; readonly digest: RowDigest };

const rows = table({ prefix: 'index/blocks/', key: u64Key, value: raw });

export function getRow(state: StateReader, number: bigint): BlockRow | undefined {
  const bytes = rows.get(state, number);
  if (bytes === undefined) return undefined;
  const length = bytes.length < WHOLE_BYTES ? SHORT_BYTES : WHOLE_BYTES;
  const [body, digest] = [bytes.subarray(0, length), decodeDigest(bytes.subarray(length))];
  return length === SHORT_BYTES
    ? { form: 'short', block: decodeValue(short, body), digest }
    : { form: 'whole', block: decodeValue(whole, body), digest };
}

export function putRow(state: StateWriter, number: bigint, row: BlockRow): void {
  const body = row.form === 'short' ? encodeValue(short, row.block) : encodeWhole(row.block);
  rows.put(state, number, Buffer.concat([body, encodeDigest(row.digest)]));
}

export function deleteRow(state: StateWriter, number: bigint): void {
  rows.delete(state, number);
}

export function encodeWhole(block: StoredBlock): Uint8Array {
  return encodeValue(whole, block);
}

function encodeDigest(digest: RowDigest): Uint8Array {
  if (digest === undefined) return new Uint8Array(0);
  const bytes = typeof digest === 'number' ? Uint8Array.of(digest) : digest;
  if (bytes.length !== 1 && bytes.length !== DIGEST_BYTES) throw new RangeError(`a digest of ${bytes.length} bytes`);
  return bytes;
}

function decodeDigest(bytes: Uint8Array): RowDigest {
  if (bytes.length === 0) return undefined;
  if (bytes.length === DIGEST_BYTES) return bytes;
  if (bytes.length === 1) return bytes[0];
  throw new Error(`a stored block has ${bytes.length} bytes behind it`);
}
