import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '@switchyard/protocol';
import { FULL_CHECK_BYTES, StoreDamaged } from '@switchyard/storage';
import { BlockIndex, type IndexEntry, type TxPlace } from './block-index.ts';
import {
  type BlockRecord,
  decodeHead,
  HEAD_BYTES,
  type Head,
  isIntact,
  isWhole,
  MAGIC,
  recordLength,
  type Section,
  sectionOf,
  sectionOffset,
} from './record.ts';
import { RecordLog } from './record-log.ts';
import { resultSpans } from './results.ts';
import { type Place, type SegmentLimits, Segments } from './segments.ts';
import { txSpans } from './tx-spans.ts';

/** Read first: holds the head, the signed header and the state of nearly every record. */
const FIRST_READ = 2_048;

/** A transaction as it stands in a block. */
export interface StoredTx {
  readonly height: bigint;
  readonly index: number;
  readonly tx: Uint8Array;
  /** JSON of its result. */
  readonly result: string;
}

/** What a block's record says without its transactions. */
export interface BlockMeta {
  readonly signedHeader: Uint8Array;
  /** Length of the encoded block. */
  readonly blockBytes: number;
  readonly txCount: number;
}

export interface BlockStoreOptions extends SegmentLimits {
  /** A stored record is damaged: the process should stop. */
  readonly onDamage?: (error: StoreDamaged) => void;
}

/** How much of the log is kept in files that are deleted as one: more of them delete sooner, fewer are less work. */
const PARTS = 16;
const LEAST_SEGMENT_BYTES = 1_048_576;
const LEAST_SEGMENT_HEIGHTS = 64;
/** Heights that are taken out of the index before others get their turn. */
const REMOVED_PER_TURN = 32n;

export interface StoreLimits {
  /** Blocks and bytes that the caller means to keep, if there are limits: files are small enough to delete in time. */
  readonly retainBlocks?: number | undefined;
  readonly retainBytes?: number | undefined;
}

/** Sizes of files from which `prune` can delete what is too much. */
export function segmentLimits({ retainBlocks, retainBytes }: StoreLimits): SegmentLimits {
  return {
    ...(retainBytes !== undefined && { segmentBytes: Math.max(LEAST_SEGMENT_BYTES, Math.floor(retainBytes / PARTS)) }),
    ...(retainBlocks !== undefined && {
      segmentHeights: Math.max(LEAST_SEGMENT_HEIGHTS, Math.floor(retainBlocks / PARTS)),
    }),
  };
}

/**
 * Blocks with their commits and results, for as long as they are not pruned.
 *
 * Each height is one record in an append-only log, durable with one write; an index over it is written lazily.
 * Reads by height of what is small are synchronous, and nothing is cached: the system's page cache does that.
 */
export class BlockStore {
  readonly #segments: Segments;
  readonly #log: RecordLog;
  readonly #index: BlockIndex;
  readonly #directory: string;
  readonly #onDamage: (error: StoreDamaged) => void;
  #first = 0n;
  #height = 0n;
  #dropped = 0;
  #pruneTo = 0n;
  #pruning: Promise<void> | undefined;
  #closing = false;

  private constructor(
    directory: string,
    segments: Segments,
    index: BlockIndex,
    onDamage: BlockStoreOptions['onDamage'],
  ) {
    this.#directory = directory;
    this.#segments = segments;
    this.#log = new RecordLog(segments);
    this.#index = index;
    this.#onDamage = onDamage ?? (() => undefined);
  }

  /**
   * Opens the store in `directory`, made if need be, and adds to the index what a crash has kept from it. A record that
   * a crash cut short was never told to anybody, and is cut off.
   */
  static async open(directory: string, options: BlockStoreOptions = {}): Promise<BlockStore> {
    const blocks = join(directory, 'blocks');
    mkdirSync(blocks, { recursive: true });
    const segments = new Segments(blocks, options);
    const store = new BlockStore(
      directory,
      segments,
      new BlockIndex(join(directory, 'index'), options.onDamage),
      options.onDamage,
    );
    try {
      await store.#recover();
      store.#verifySmall();
    } catch (error) {
      await store.close();
      throw error;
    }
    return store;
  }

  /** Lowest and highest stored height; 0 while there is none. */
  get first(): bigint {
    return this.#first;
  }

  get height(): bigint {
    return this.#height;
  }

  /** Bytes of an unfinished record that were found, and cut off, at the end of the log. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Resolves when the block is on disk.
   *
   * @param txHashes SHA-256 of each transaction, in order.
   */
  async append(record: BlockRecord, txHashes: readonly Uint8Array[]): Promise<void> {
    if (this.#height !== 0n && record.height !== this.#height + 1n) {
      throw new Error(`block out of order: expected=${this.#height + 1n} got=${record.height}`);
    }
    const { place, bytes, whole } = await this.#log.append(record, txHashes.length);
    const head = decodeHead(whole[0]);
    if (head === undefined) throw new Error('a record that was just encoded has no head');
    this.#index.add(indexEntry(head, { place, bytes }, record.block, record.results, txHashes));
    if (this.#height === 0n) this.#first = record.height;
    this.#height = record.height;
    // Lost entries are found again at the next start, so nobody waits; a failure shows at `close`.
    if (this.#index.isFull) void this.#index.flush().catch(() => undefined);
  }

  /** Height from which on at most so many bytes are stored, as far as whole files go; 0 if none has to be deleted. */
  floorFor(bytes: number): bigint {
    let left = bytes;
    let floor = 0n;
    for (const first of [...this.#segments.all].reverse()) {
      left -= this.#segments.length(first);
      if (left < 0) break;
      floor = BigInt(first);
    }
    return floor <= this.#first ? 0n : floor;
  }

  /**
   * Deletes files that only hold heights below this one, the last file never. While that is under way, another call
   * only moves the bound.
   */
  prune(below: bigint): Promise<void> {
    this.#pruneTo = below;
    this.#pruning ??= this.#prune().finally(() => {
      this.#pruning = undefined;
    });
    return this.#pruning;
  }

  async #prune(): Promise<void> {
    for (;;) {
      const [oldest, next] = this.#segments.all;
      if (this.#closing || oldest === undefined || next === undefined || BigInt(next) > this.#pruneTo) return;
      // First nobody finds the blocks, then the index forgets them, then they go. Whoever is killed in between begins again.
      this.#first = BigInt(next);
      this.#index.startAt(BigInt(next));
      for (let height = BigInt(oldest); height < BigInt(next); height += 1n) {
        this.#removeFromIndex(height);
        if (height % REMOVED_PER_TURN !== 0n) continue;
        if (this.#index.isFull) await this.#index.flush();
        await new Promise((resolve) => setImmediate(resolve));
        if (this.#closing) return;
      }
      await this.#index.flush();
      await this.#segments.deleteOldest();
    }
  }

  #removeFromIndex(height: bigint): void {
    const place = this.#index.place(height);
    if (place === undefined) return;
    const bytes = this.#log.wholeAt(place);
    const head = bytes && decodeHead(bytes);
    if (bytes === undefined || head === undefined) return;
    const block = sectionOf(head, 'block', bytes);
    const txHashes = txSpans(block).map(({ offset, length }) => sha256(block.subarray(offset, offset + length)));
    this.#index.remove({ height, hash: head.hash, txHashes });
  }

  signedHeader(height: bigint): Uint8Array | undefined {
    return this.#small(height, 'signedHeader')?.bytes;
  }

  meta(height: bigint): BlockMeta | undefined {
    const found = this.#small(height, 'signedHeader');
    if (found === undefined) return undefined;
    return { signedHeader: found.bytes, blockBytes: found.head.lengths.block, txCount: found.head.txCount };
  }

  state(height: bigint): Uint8Array | undefined {
    return this.#small(height, 'state')?.bytes;
  }

  heightOf(blockHash: Uint8Array): bigint | undefined {
    const height = this.#index.heightOf(blockHash);
    const found = height === undefined ? undefined : this.#head(height);
    return found !== undefined && Buffer.compare(found.head.hash, blockHash) === 0 ? height : undefined;
  }

  /** Bytes of a section, to be asked before reading what may be large. */
  size(height: bigint, section: Section): number {
    return this.#head(height)?.head.lengths[section] ?? 0;
  }

  /** The encoded block. */
  block(height: bigint): Promise<Uint8Array | undefined> {
    return this.#large(height, 'block');
  }

  /** What `encodeResults` made. */
  results(height: bigint): Promise<Uint8Array | undefined> {
    return this.#large(height, 'results');
  }

  findTx(hash: Uint8Array): TxPlace | undefined {
    return this.#index.tx(hash);
  }

  /** Reads only the transaction and its result, however large the block is. */
  async readTx(found: TxPlace): Promise<StoredTx> {
    const place = this.#placeOf(found.height);
    const expanded = this.#log.expandedAt(place);
    const read = ({ offset, length }: { offset: number; length: number }) =>
      expanded?.subarray(offset, offset + length) ??
      this.#segments.read({ segment: place.segment, offset: place.offset + offset }, length);
    const [tx, result] = await Promise.all([read(found.tx), read(found.result)]);
    if (tx.length !== found.tx.length || result.length !== found.result.length)
      throw this.#damaged(found.height, 'transaction');
    return { height: found.height, index: found.index, tx, result: result.toString('utf8') };
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#pruning?.catch(() => undefined);
    try {
      await this.#index.close();
    } finally {
      await this.#segments.close();
    }
  }

  /** @param segment Where the block's record is; undefined: the index does not say. */
  #damaged(height: bigint, part: string, segment = this.#index.place(height)?.segment): StoreDamaged {
    const file = segment === undefined ? join(this.#directory, 'index') : this.#segments.path(segment);
    const error = new StoreDamaged(this.#directory, file, `block at height ${height}: ${part} is not what was written`);
    this.#onDamage(error);
    return error;
  }

  #placeOf(height: bigint): Place {
    const place = this.#index.place(height);
    if (place === undefined) throw this.#damaged(height, 'its place in the index');
    return place;
  }

  #head(height: bigint): { readonly head: Head; readonly place: Place; readonly start: Buffer } | undefined {
    if (height < this.#first || height > this.#height || this.#height === 0n) return undefined;
    const place = this.#placeOf(height);
    // Where the record is a short one, `start` is all of it.
    const start = this.#expandedAt(place, height) ?? this.#segments.readSync(place, FIRST_READ);
    const head = decodeHead(start);
    if (head === undefined || head.height !== height) throw this.#damaged(height, 'head');
    return { head, place, start };
  }

  #small(height: bigint, section: Section): { readonly head: Head; readonly bytes: Uint8Array } | undefined {
    const found = this.#head(height);
    if (found === undefined) return undefined;
    const { head, place, start } = found;
    let bytes = sectionOf(head, section, start);
    if (bytes.length < head.lengths[section]) {
      bytes = this.#segments.readSync(sectionPlace(head, place, section), head.lengths[section]);
    }
    if (!isIntact(head, section, bytes)) throw this.#damaged(height, section);
    // A copy: a part of what was read would keep all of it.
    return { head, bytes: Uint8Array.from(bytes) };
  }

  async #large(height: bigint, section: Section): Promise<Uint8Array | undefined> {
    const found = this.#head(height);
    if (found === undefined) return undefined;
    const { head, place, start } = found;
    let bytes = sectionOf(head, section, start);
    if (bytes.length < head.lengths[section]) {
      bytes = await this.#segments.read(sectionPlace(head, place, section), head.lengths[section]);
    }
    if (!isIntact(head, section, bytes)) throw this.#damaged(height, section);
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** A log of ordinary size is read whole before it is served from; the scrubber gets to a larger one. */
  #verifySmall(): void {
    const bytes = this.#segments.all.reduce((sum, segment) => sum + this.#segments.length(segment), 0);
    if (bytes > FULL_CHECK_BYTES) return;
    for (let from: bigint | undefined = this.#first; from !== undefined; )
      from = this.verify(from, FULL_CHECK_BYTES).next;
  }

  #expandedAt(place: Place, height: bigint): Buffer | undefined {
    try {
      return this.#log.expandedAt(place);
    } catch (error) {
      throw this.#damaged(height, error instanceof Error ? error.message : String(error));
    }
  }

  /**
   * Reads stored blocks again and checks all of them.
   *
   * @param from The first height.
   * @param maxBytes Where to stop, counted in bytes of records.
   * @returns the height to go on with, undefined at the end; and what was read. @throws {StoreDamaged}
   */
  verify(
    from: bigint,
    maxBytes: number,
  ): { readonly next: bigint | undefined; readonly bytes: number; readonly records: number } {
    let bytes = 0;
    let records = 0;
    let height = from < this.#first ? this.#first : from;
    for (; this.#height !== 0n && height <= this.#height && bytes < maxBytes; height += 1n) {
      const { head, place, start } = this.#head(height) ?? { head: undefined, place: undefined, start: undefined };
      if (head === undefined) break;
      const length = recordLength(head);
      const whole = start.length >= length ? start : this.#segments.readSync(place, length);
      if (!isWhole(head, whole)) throw this.#damaged(height, 'a section', place.segment);
      bytes += length;
      records += 1;
    }
    return { next: height <= this.#height && this.#height !== 0n ? height : undefined, bytes, records };
  }

  /** Goes through the records after those in the index, and cuts off what is not a whole one at the end. */
  async #recover(): Promise<void> {
    const segments = this.#segments.all;
    const { indexed } = this.#index;
    const [oldest] = segments;
    if (oldest === undefined && indexed === undefined) return;
    if (oldest === undefined || (indexed !== undefined && !segments.includes(indexed.next.segment))) {
      const missing = `block files are missing: the index goes up to height ${indexed?.height}`;
      throw new StoreDamaged(this.#directory, join(this.#directory, 'blocks'), missing);
    }
    // A file whose blocks the index has forgotten is deleted with the next ones.
    this.#first = this.#index.first > BigInt(oldest) ? this.#index.first : BigInt(oldest);
    this.#height = indexed?.height ?? 0n;
    let next = indexed?.next ?? { segment: oldest, offset: 0 };
    for (;;) {
      next = await this.#recoverSegment(next);
      const following = segments.find((segment) => segment > next.segment);
      const left = this.#segments.length(next.segment) - next.offset;
      if (left !== 0 && (left < 0 || following !== undefined)) {
        const what = `the block after height ${this.#height}, at byte ${next.offset}, is not what was written`;
        throw new StoreDamaged(this.#directory, this.#segments.path(next.segment), what);
      }
      if (following === undefined) break;
      next = { segment: following, offset: 0 };
    }
    this.#dropped = this.#segments.length(next.segment) - next.offset;
    this.#requireTorn(next);
    if (this.#dropped > 0) this.#segments.truncate(next.offset);
    if (this.#height === 0n) this.#first = 0n;
    else this.#log.resume(this.#placeOf(this.#height));
  }

  /** What a crash leaves at the end of the log is one unfinished record. Where another follows, it is damage. */
  #requireTorn({ segment, offset }: Place): void {
    if (this.#dropped <= HEAD_BYTES) return;
    const rest = this.#segments.readSync({ segment, offset }, this.#dropped);
    for (let at = rest.indexOf(MAGIC, 1); at >= 0; at = rest.indexOf(MAGIC, at + 1)) {
      const head = decodeHead(rest.subarray(at));
      if (head !== undefined && head.height > this.#height + 1n && isWhole(head, rest.subarray(at))) {
        throw this.#damaged(this.#height + 1n, 'the record', segment);
      }
    }
  }

  /** Adds the whole records from `start` on to the index; what follows the last of them. */
  async #recoverSegment(start: Place): Promise<Place> {
    let next = start;
    for (;;) {
      const length = this.#recoverRecord(next);
      if (length === undefined) return next;
      next = { segment: next.segment, offset: next.offset + length };
      if (this.#index.isFull) await this.#index.flush();
    }
  }

  #wholeAt(place: Place, length: number): Buffer | undefined {
    try {
      return this.#log.expandedAt(place) ?? this.#segments.readSync(place, length);
    } catch {
      return undefined;
    }
  }

  #recoverRecord(place: Place): number | undefined {
    const length = this.#log.lengthAt(place);
    if (length === undefined || place.offset + length > this.#segments.length(place.segment)) return undefined;
    const bytes = this.#wholeAt(place, length);
    if (bytes === undefined) return undefined;
    const head = decodeHead(bytes);
    if (head === undefined || (this.#height !== 0n && head.height !== this.#height + 1n)) return undefined;
    if (!isWhole(head, bytes)) return undefined;
    const block = sectionOf(head, 'block', bytes);
    const hashes = txSpans(block).map(({ offset, length }) => sha256(block.subarray(offset, offset + length)));
    this.#index.add(indexEntry(head, { place, bytes: length }, block, sectionOf(head, 'results', bytes), hashes));
    this.#height = head.height;
    return length;
  }
}

function sectionPlace(head: Head, { segment, offset }: Place, section: Section): Place {
  return { segment, offset: offset + sectionOffset(head, section) };
}

function indexEntry(
  head: Head,
  { place, bytes }: Pick<IndexEntry, 'place' | 'bytes'>,
  block: Uint8Array,
  results: Uint8Array,
  txHashes: readonly Uint8Array[],
): IndexEntry {
  const { height, hash } = head;
  const outcomes = resultSpans(results);
  const [inBlock, inResults] = [sectionOffset(head, 'block'), sectionOffset(head, 'results')];
  const txs = txSpans(block).flatMap(({ offset, length }, index) => {
    const [txHash, outcome] = [txHashes[index], outcomes[index]];
    if (txHash === undefined || outcome === undefined) return [];
    const result = { offset: outcome.offset + inResults, length: outcome.length };
    return [{ hash: txHash, place: { height, index, tx: { offset: offset + inBlock, length }, result } }];
  });
  if (txs.length !== txHashes.length || txs.length !== outcomes.length) {
    throw new Error(`block at height ${height} has ${txHashes.length} transactions and ${outcomes.length} results`);
  }
  return { height, place, bytes, hash, txs };
}
