import {
  type BlockId,
  type Commit,
  commitHash,
  decodeBlock,
  decodeSignedHeader,
  encodeBlock,
  encodeSignedHeader,
  fromHex,
  Reader,
  type Timestamp,
  toHex,
  Writer,
} from '@switchyard/protocol';

/*
 * A row of the table of blocks.
 *
 * A whole row has its block and results in tables of their own. A block without transactions differs little from the one
 * before it: in its time, two hashes, a signature and the application's root. These are all that a short row holds. The rest
 * is taken from an earlier whole row, the base, and from the row before, and is the same to the byte: rows that do not come out
 * so is never written in this form.
 */

/** One height, as the engine has it. */
export interface BlockRecord {
  readonly height: bigint;
  /** 32 bytes: the block's hash. */
  readonly hash: Uint8Array;
  /** Encoded `tendermint.types.SignedHeader` of this height. */
  readonly signedHeader: Uint8Array;
  /** Chain state after this block, see `chain-state.ts`. */
  readonly state: Uint8Array;
  /** Results of execution, see `results.ts`. */
  readonly results: Uint8Array;
  /** Encoded `tendermint.types.Block`. */
  readonly block: Uint8Array;
}

export interface WholeRow extends Pick<BlockRecord, 'signedHeader' | 'state'> {
  readonly form: 'whole';
  /** Length of the encoded block. */
  readonly blockBytes: number;
  readonly txCount: number;
}

/** The differences between a block and its base that cannot be computed. */
export interface Difference {
  readonly time: Timestamp;
  readonly signedAt: Timestamp;
  readonly hash: Uint8Array;
  readonly partsHash: Uint8Array;
  /** Root of the application after the block. */
  readonly appHash: Uint8Array;
  readonly signature: Uint8Array;
}

export interface ShortRow extends Difference {
  readonly form: 'short';
  /** Height of the base. */
  readonly base: bigint;
}

/** The part of a block that comes from the one before it. */
export interface Link {
  readonly commit: Commit;
  readonly appHash: Uint8Array;
}

/** Times, hash, hash of the parts, root, signature. */
const DIFFERENCE_BYTES = 2 * 12 + 3 * 32 + 64;
/** Larger blocks hold transactions of users, and trying them would cost more than it saves. */
const MAX_BLOCK_BYTES = 4_096;
const EMPTY: Uint8Array = new Uint8Array();
const [SIGNED_HEADER, STATE, BLOCK_BYTES, TX_COUNT, DIFFERENCE, BASE] = [1, 2, 3, 4, 5, 6];

/** @param height Height of the row: a base is written as its distance. */
export function encodeRow(row: WholeRow | ShortRow, height: bigint): Uint8Array {
  const writer = new Writer();
  if (row.form === 'short') {
    writer.bytesAlways(DIFFERENCE, encodeDifference(row)).uint64(BASE, height - row.base);
  } else {
    writer.bytesAlways(SIGNED_HEADER, row.signedHeader).bytesAlways(STATE, row.state);
    writer.uint32(BLOCK_BYTES, row.blockBytes).uint32(TX_COUNT, row.txCount);
  }
  return writer.finish();
}

export function decodeRow(bytes: Uint8Array, height: bigint): WholeRow | ShortRow {
  const reader = new Reader(bytes, 'row');
  let [signedHeader, state]: [Uint8Array, Uint8Array] = [EMPTY, EMPTY];
  let difference: Uint8Array | undefined;
  let [blockBytes, txCount, distance] = [0, 0, 0n];
  while (reader.next()) {
    if (reader.field === SIGNED_HEADER) signedHeader = reader.bytes();
    else if (reader.field === STATE) state = reader.bytes();
    else if (reader.field === BLOCK_BYTES) blockBytes = reader.uint32();
    else if (reader.field === TX_COUNT) txCount = reader.uint32();
    else if (reader.field === DIFFERENCE) difference = reader.bytes();
    else if (reader.field === BASE) distance = reader.uint64();
    else reader.skip();
  }
  if (difference === undefined) return { form: 'whole', signedHeader, state, blockBytes, txCount };
  return { form: 'short', base: height - distance, ...decodeDifference(difference) };
}

/** The short row of `record`, or `undefined` if the base and the block before it do not give all of it back. */
export function shortRow(record: BlockRecord, base: BlockRecord, previous: Link): ShortRow | undefined {
  if (record.block.length > MAX_BLOCK_BYTES || base.block.length > MAX_BLOCK_BYTES) return undefined;
  const link = findLink(record);
  const vote = link && onlyVote(link.commit);
  if (link === undefined || vote === undefined) return undefined;
  const { header } = decodeSignedHeader(record.signedHeader);
  const lengths = [link.commit.blockId.hash, link.commit.blockId.parts.hash, link.appHash].map(({ length }) => length);
  if (lengths.some((length) => length !== 32) || vote.signature.length !== 64) return undefined;
  const row: ShortRow = {
    form: 'short',
    base: base.height,
    time: header.time,
    signedAt: vote.timestamp,
    hash: record.hash,
    partsHash: link.commit.blockId.parts.hash,
    signature: vote.signature,
    appHash: link.appHash,
  };
  const again = restored(row, record.height, base, previous);
  return again !== undefined && isSame(again, record) ? row : undefined;
}

/** The whole record again; `undefined` if the base is invalid. */
export function restored(row: Difference, height: bigint, base: BlockRecord, previous: Link): BlockRecord | undefined {
  const model = findLink(base);
  const commit = model && toCommit(row, height, model.commit);
  if (model === undefined || commit === undefined) return undefined;
  const { header: same } = decodeSignedHeader(base.signedHeader);
  const header = {
    ...same,
    height,
    time: row.time,
    lastBlockId: previous.commit.blockId,
    lastCommitHash: commitHash(previous.commit),
    appHash: previous.appHash,
  };
  const { txs } = decodeBlock(base.block);
  return {
    height,
    hash: row.hash,
    signedHeader: encodeSignedHeader({ header, commit }),
    state: replaced(base.state, toHex(model.appHash), toHex(row.appHash)),
    results: replaced(base.results, toText(model.appHash, 'base64'), toText(row.appHash, 'base64')),
    block: encodeBlock({ header, txs, lastCommit: previous.commit }),
  };
}

/** The link of the block after a whole one; `undefined` if this is something else than a block. */
export function findLink({ signedHeader, state }: Pick<BlockRecord, 'signedHeader' | 'state'>): Link | undefined {
  try {
    const { commit } = decodeSignedHeader(signedHeader);
    const digits = /"app_hash":"([0-9a-f]{64})"/.exec(toText(state, 'latin1'))?.[1];
    return digits === undefined ? undefined : { commit, appHash: fromHex(digits) };
  } catch {
    return undefined;
  }
}

/** The link of the block after one at this height. */
export function linkOfShort(row: Difference, height: bigint, base: BlockRecord): Link | undefined {
  const model = findLink(base);
  const commit = model && toCommit(row, height, model.commit);
  return commit && { commit, appHash: row.appHash };
}

/** The commit for a block, by the validator that signed its base. */
function toCommit({ hash, partsHash, signedAt, signature }: Difference, height: bigint, model: Commit) {
  const vote = onlyVote(model);
  if (vote === undefined) return undefined;
  const blockId: BlockId = { hash, parts: { total: model.blockId.parts.total, hash: partsHash } };
  return { height, round: model.round, blockId, signatures: [{ ...vote, timestamp: signedAt, signature }] };
}

function onlyVote({ signatures }: Commit) {
  const [vote] = signatures;
  return signatures.length === 1 && vote !== undefined && vote.flag !== 'absent' ? vote : undefined;
}

function isSame(left: BlockRecord, right: BlockRecord): boolean {
  const sections = ['signedHeader', 'state', 'results', 'block'] as const;
  return sections.every((section) => Buffer.compare(left[section], right[section]) === 0);
}

/** A text of the same length in place of another one. */
function replaced(bytes: Uint8Array, before: string, after: string): Uint8Array {
  const copy = Buffer.from(bytes);
  const at = copy.indexOf(before, 0, 'latin1');
  if (at >= 0) copy.write(after, at, 'latin1');
  return copy;
}

function encodeDifference({ time, signedAt, hash, partsHash, appHash, signature }: Difference): Uint8Array {
  const times = Buffer.alloc(24);
  for (const [index, { seconds, nanos }] of [time, signedAt].entries()) {
    times.writeBigInt64BE(seconds, 12 * index);
    times.writeUInt32BE(nanos, 12 * index + 8);
  }
  return Buffer.concat([times, hash, partsHash, appHash, signature]);
}

export function decodeDifference(bytes: Uint8Array): Difference {
  if (bytes.length !== DIFFERENCE_BYTES) throw new Error(`a short row has ${bytes.length} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const timeAt = (at: number) => ({ seconds: view.getBigInt64(at), nanos: view.getUint32(at + 8) });
  return {
    time: timeAt(0),
    signedAt: timeAt(12),
    hash: bytes.slice(24, 56),
    partsHash: bytes.slice(56, 88),
    appHash: bytes.slice(88, 120),
    signature: bytes.slice(120),
  };
}

function toText(bytes: Uint8Array, encoding: 'latin1' | 'base64'): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(encoding);
}
