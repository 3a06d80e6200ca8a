import { FULL_CHECK_BYTES } from '@switchyard/storage';
import type { TxPlace } from './block-index.ts';
import { BlockReader } from './block-reader.ts';
import { indexEntry } from './index-entry.ts';
import { Pruner } from './pruner.ts';
import { type BlockRecord, decodeHead, type Section } from './record.ts';
import { recover } from './recover.ts';
import { type BlockStoreOptions, type StoredRange, StoreFiles } from './store-files.ts';

/** A transaction as it stands in a block. */
export interface StoredTx {
  readonly height: bigint;
  readonly index: number;
  readonly tx: Uint8Array;
  /** JSON of its result. */
  readonly result: string;
}

/** What a block's record holds besides its transactions. */
export interface BlockMeta {
  readonly signedHeader: Uint8Array;
  /** Length of the encoded block. */
  readonly blockBytes: number;
  readonly txCount: number;
}

/**
 * Blocks with their commits and results, for as long as they are not pruned.
 *
 * Each height is one record in an append-only log, durable with one write; an index over it is written lazily.
 * Reads by height of what is small are synchronous, and nothing is cached: the system's page cache does that.
 */
export class BlockStore {
  /** Bytes of an unfinished record that were found, and cut off, at the end of the log. */
  readonly dropped: number;
  readonly #files: StoreFiles;
  readonly #range: StoredRange;
  readonly #reader: BlockReader;
  readonly #pruner: Pruner;

  private constructor(files: StoreFiles, { first, height, dropped }: StoredRange & { readonly dropped: number }) {
    this.dropped = dropped;
    this.#files = files;
    this.#range = { first, height };
    this.#reader = new BlockReader(files, this.#range);
    this.#pruner = new Pruner(files, this.#range);
  }

  /** Opens the store in `directory`, made if need be, and recovers from a crash. @throws {StoreDamaged} */
  static async open(directory: string, options: BlockStoreOptions = {}): Promise<BlockStore> {
    const files = new StoreFiles(directory, options);
    try {
      const store = new BlockStore(files, await recover(files));
      store.#verifySmall();
      return store;
    } catch (error) {
      await files.close();
      throw error;
    }
  }

  /** Lowest and highest stored height; 0 while there is none. */
  get first(): bigint {
    return this.#range.first;
  }

  get height(): bigint {
    return this.#range.height;
  }

  /**
   * Resolves when the block is on disk.
   *
   * @param txHashes SHA-256 of each transaction, in order.
   */
  async append(record: BlockRecord, txHashes: readonly Uint8Array[]): Promise<void> {
    const { height } = this.#range;
    if (height !== 0n && record.height !== height + 1n) {
      throw new Error(`block out of order: expected=${height + 1n} got=${record.height}`);
    }
    const { index, log } = this.#files;
    const { place, bytes, whole } = await log.append(record, txHashes.length);
    const head = decodeHead(whole[0]);
    if (head === undefined) throw new Error('a record that was just encoded has no head');
    index.add(indexEntry(head, { place, bytes }, record, txHashes));
    if (height === 0n) this.#range.first = record.height;
    this.#range.height = record.height;
    // The next start adds lost entries again, so nothing waits for them; a failure shows at `close`.
    if (index.isFull) void index.flush().catch(() => undefined);
  }

  /** See `Pruner.floorFor`. */
  floorFor(bytes: number): bigint {
    return this.#pruner.floorFor(bytes);
  }

  /** See `Pruner.prune`. */
  prune(below: bigint): Promise<void> {
    return this.#pruner.prune(below);
  }

  signedHeader(height: bigint): Uint8Array | undefined {
    return this.#reader.small(height, 'signedHeader')?.bytes;
  }

  meta(height: bigint): BlockMeta | undefined {
    const found = this.#reader.small(height, 'signedHeader');
    if (found === undefined) return undefined;
    return { signedHeader: found.bytes, blockBytes: found.head.lengths.block, txCount: found.head.txCount };
  }

  state(height: bigint): Uint8Array | undefined {
    return this.#reader.small(height, 'state')?.bytes;
  }

  heightOf(blockHash: Uint8Array): bigint | undefined {
    const height = this.#files.index.heightOf(blockHash);
    const found = height === undefined ? undefined : this.#reader.head(height);
    return found !== undefined && Buffer.compare(found.head.hash, blockHash) === 0 ? height : undefined;
  }

  /** Bytes of a section, to be asked before reading what may be large. */
  size(height: bigint, section: Section): number {
    return this.#reader.head(height)?.head.lengths[section] ?? 0;
  }

  /** The encoded block. */
  block(height: bigint): Promise<Uint8Array | undefined> {
    return this.#reader.large(height, 'block');
  }

  /** What `encodeResults` made. */
  results(height: bigint): Promise<Uint8Array | undefined> {
    return this.#reader.large(height, 'results');
  }

  findTx(hash: Uint8Array): TxPlace | undefined {
    return this.#files.index.tx(hash);
  }

  async readTx(found: TxPlace): Promise<StoredTx> {
    const [tx, result] = await this.#reader.tx(found);
    return { height: found.height, index: found.index, tx, result: result.toString('utf8') };
  }

  async close(): Promise<void> {
    await this.#pruner.close();
    await this.#files.close();
  }

  /** A log of ordinary size is read whole before it is served from; the scrubber reads a larger one later. */
  #verifySmall(): void {
    const { segments } = this.#files;
    const bytes = segments.all.reduce((sum, segment) => sum + segments.length(segment), 0);
    if (bytes <= FULL_CHECK_BYTES) this.#reader.verifyAll();
  }
}
