import { decodeBlock, decodeSignedHeader, sha256 } from '@switchyard/protocol';
import { type StoreDamaged, StoreFile } from '@switchyard/storage';
import {
  type BlockRecord,
  decodeRow,
  encodeRow,
  findLink,
  type Link,
  linkOfShort,
  restored,
  type ShortRow,
  shortRow,
  type WholeRow,
} from './block-row.ts';

export interface BlockStoreOptions {
  /** A stored record is damaged: the process should stop. */
  readonly onDamage?: ((error: StoreDamaged) => void) | undefined;
}

/** A block with the SHA-256 of each of its transactions, in order. */
export interface NewBlock {
  readonly record: BlockRecord;
  readonly txHashes: readonly Uint8Array[];
}

/** The contents of a block's record besides its transactions. */
export type BlockMeta = Pick<WholeRow, 'signedHeader' | 'blockBytes' | 'txCount'>;

/** Position of a transaction. */
export interface TxPlace {
  readonly height: bigint;
  readonly index: number;
}

/** A block that is stored whole. */
interface Base {
  readonly record: BlockRecord;
  readonly txCount: number;
}

/** The last block, and the parts that the next one shares with it. */
interface Tail {
  readonly base: Base;
  readonly link: Link;
}

/** Heights that are deleted together, with the next block. */
export const PRUNED_AT_ONCE = 16n;

const FIRST = Buffer.from('first');
/** First bytes of hashes that are kept: few of the chain's own blocks, more of transactions, which strangers make. */
const BLOCK_HASH_BYTES = 8;
const TX_HASH_BYTES = 16;

/**
 * Blocks with their commits and results, until pruned, in the tables of one file. A block and its index
 * entries are one transaction.
 */
export class BlockStore {
  readonly #file: StoreFile<Uint8Array>;
  readonly #tables;
  #first = 0n;
  #height = 0n;
  /** Heights below may be deleted. */
  #below = 0n;
  #tail: Tail | undefined;
  /** The base that was read last: neighbours mostly have the same. */
  #base: Base | undefined;

  /** Opens the store in `directory`, which is made if need be. @throws {StoreDamaged} */
  constructor(directory: string, { onDamage }: BlockStoreOptions = {}) {
    this.#file = new StoreFile<Uint8Array>(directory, 'blocks', { keys: 'binary', onDamage });
    this.#tables = {
      /** Rows of `block-row.ts`, by height. */
      rows: this.#file.table('rows'),
      /** Encoded blocks and results of whole rows, by height. */
      blocks: this.#file.table('blocks'),
      results: this.#file.table('results'),
      /** Heights by the first bytes of the block's hash. */
      hashes: this.#file.table('hashes'),
      /** Places by the hash of a transaction: the last whole row that has it. */
      txs: this.#file.table('txs'),
    };
    try {
      this.#load();
    } catch (error) {
      void this.#file.close();
      throw error;
    }
  }

  /** Lowest and highest stored height; 0 while there is none. */
  get first(): bigint {
    return this.#first;
  }

  get height(): bigint {
    return this.#height;
  }

  /** Resolves when the blocks are on disk, all in one transaction. @throws {StoreNotWritten} */
  async append(blocks: readonly NewBlock[]): Promise<void> {
    let [height, tail] = [this.#height, this.#tail];
    const rows = blocks.map(({ record, txHashes }) => {
      if (height !== 0n && record.height !== height + 1n) {
        throw new Error(`block out of order: expected=${height + 1n} got=${record.height}`);
      }
      height = record.height;
      const isAlike = tail !== undefined && tail.base.txCount === txHashes.length;
      const short = isAlike && tail !== undefined ? shortRow(record, tail.base.record, tail.link) : undefined;
      const base = short === undefined ? { record, txCount: txHashes.length } : tail?.base;
      const link = findLink(record);
      tail = link && base && { base, link };
      return short ?? wholeRow(record, txHashes.length);
    });
    const pruned = this.#pruned();
    // Blocks become unreadable before they are gone: a reader may come between the commit and the end of this.
    if (pruned !== undefined) this.#first = pruned.first;
    const { rows: table, blocks: encoded, results, hashes, txs } = this.#tables;
    await this.#file.batch(() => {
      for (const [at, { record, txHashes }] of blocks.entries()) {
        const [key, row] = [heightKey(record.height), rows[at]];
        if (row === undefined) continue;
        void table.put(key, encodeRow(row, record.height));
        void hashes.put(hashKey(record.hash), key);
        if (row.form === 'short') continue;
        void encoded.put(key, record.block);
        void results.put(key, record.results);
        for (const [index, hash] of txHashes.entries())
          void txs.put(txKey(hash), encodePlace({ height: record.height, index }));
      }
      if (pruned !== undefined) this.#remove(pruned);
    });
    this.#tail = tail;
    this.#height = height;
    if (this.#first === 0n) this.#first = blocks[0]?.record.height ?? 0n;
  }

  /** Height below which blocks have to go before so few bytes are in use; 0 for none. */
  floorFor(bytes: number): bigint {
    return this.#file.usedBytes() > bytes ? this.#first + PRUNED_AT_ONCE : 0n;
  }

  /** Lets blocks below a height be deleted, some with each that is appended. The last one stays. */
  prune(below: bigint): void {
    this.#below = below < this.#height ? below : this.#height;
  }

  signedHeader(height: bigint): Uint8Array | undefined {
    const row = this.#row(height);
    return row?.form === 'whole' ? row.signedHeader : row && this.#restored(row, height).signedHeader;
  }

  meta(height: bigint): BlockMeta | undefined {
    const row = this.#row(height);
    if (row?.form !== 'short') return row;
    const { signedHeader, block } = this.#restored(row, height);
    return { signedHeader, blockBytes: block.length, txCount: this.#baseAt(row.base).txCount };
  }

  state(height: bigint): Uint8Array | undefined {
    const row = this.#row(height);
    return row?.form === 'whole' ? row.state : row && this.#restored(row, height).state;
  }

  /** The encoded block. */
  block(height: bigint): Uint8Array | undefined {
    const row = this.#row(height);
    if (row?.form === 'whole') return this.#section('blocks', height);
    return row && this.#restored(row, height).block;
  }

  /** Results in the encoding of `encodeResults`. */
  results(height: bigint): Uint8Array | undefined {
    const row = this.#row(height);
    if (row?.form === 'whole') return this.#section('results', height);
    return row && this.#restored(row, height).results;
  }

  findHeight(blockHash: Uint8Array): bigint | undefined {
    const key = this.#tables.hashes.get(hashKey(blockHash));
    const height = key && decodeHeight(key);
    const row = height === undefined ? undefined : this.#row(height);
    return row !== undefined && Buffer.compare(getHash(row), blockHash) === 0 ? height : undefined;
  }

  /** Place of a transaction; the last one, if its bytes occur in several blocks. */
  findTx(hash: Uint8Array): TxPlace | undefined {
    const found = this.#tables.txs.get(txKey(hash));
    if (found === undefined) return undefined;
    const { height: base, index } = decodePlace(found);
    if (base > this.#height) return undefined;
    // The short rows behind a whole one have its transactions.
    const [next] = this.#tables.blocks.keys({ start: heightKey(base + 1n), limit: 1 });
    const last = next === undefined ? this.#height : decodeHeight(next) - 1n;
    return last < this.#first ? undefined : { height: last, index };
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #load(): void {
    const { rows } = this.#tables;
    const [last] = rows.keys({ reverse: true, limit: 1 });
    if (last === undefined) return;
    const [lowest = last] = rows.keys({ limit: 1 });
    this.#height = decodeHeight(last);
    this.#first = decodeHeight(this.#file.main.get(FIRST) ?? lowest);
    const expected = this.#height - this.#first + 1n;
    if (expected < 1n || rows.count() < expected) {
      this.#file.damaged(`of the blocks from ${this.#first} to ${this.#height} some are missing`);
    }
    const row = this.#row(this.#height);
    if (row === undefined) return;
    const base = this.#baseAt(row.form === 'short' ? row.base : this.#height);
    const link = this.#linkAt(this.#height, base);
    this.#tail = link && { base, link };
  }

  #row(height: bigint): WholeRow | ShortRow | undefined {
    if (height < this.#first || height > this.#height || this.#height === 0n) return undefined;
    return this.#rowAt(height) ?? this.#file.damaged(`the block at height ${height} is missing`);
  }

  /** A row that may be below the first height. */
  #rowAt(height: bigint): WholeRow | ShortRow | undefined {
    const bytes = this.#tables.rows.get(heightKey(height));
    return bytes && decodeRow(bytes, height);
  }

  #section(table: 'blocks' | 'results', height: bigint): Uint8Array {
    const bytes = this.#tables[table].get(heightKey(height));
    return bytes ?? this.#file.damaged(`table ${table}, the record of height ${height} is missing`);
  }

  #restored(row: ShortRow, height: bigint): BlockRecord {
    const base = this.#baseAt(row.base);
    const previous = this.#linkAt(height - 1n, base);
    const record = previous && restored(row, height, base.record, previous);
    return record ?? this.#file.damaged(`the block at height ${height} does not follow from its stored predecessors`);
  }

  #baseAt(height: bigint): Base {
    if (this.#base?.record.height === height) return this.#base;
    const row = this.#rowAt(height);
    if (row?.form !== 'whole') return this.#file.damaged(`the block at height ${height} is not stored whole`);
    const [block, results] = [this.#section('blocks', height), this.#section('results', height)];
    const { signedHeader, state, txCount } = row;
    this.#base = { record: { height, hash: getHash(row), signedHeader, state, results, block }, txCount };
    return this.#base;
  }

  /** @param base The base of a short row at this height; of a whole one, nothing is taken from it. */
  #linkAt(height: bigint, base: Base): Link | undefined {
    const row = this.#rowAt(height);
    return row?.form === 'short' ? linkOfShort(row, height, base.record) : row && findLink(row);
  }

  /** The next step of `prune`. The base of the new first block stays, and the row before it, which it is restored from. */
  #pruned(): Pruned | undefined {
    if (this.#below < this.#first + PRUNED_AT_ONCE) return undefined;
    const first = this.#first + PRUNED_AT_ONCE;
    const row = this.#rowAt(first);
    const kept = row?.form === 'short' ? [row.base, first - 1n] : [];
    const range = { end: heightKey(first), limit: 2 * Number(PRUNED_AT_ONCE) };
    const heights = Array.from(this.#tables.rows.keys(range), decodeHeight);
    return { first, heights: heights.filter((height) => !kept.includes(height)) };
  }

  #remove({ first, heights }: Pruned): void {
    const { rows, blocks, results, hashes, txs } = this.#tables;
    void this.#file.main.put(FIRST, heightKey(first));
    for (const height of heights) {
      const [key, row] = [heightKey(height), this.#rowAt(height)];
      if (row === undefined) continue;
      const hash = hashKey(getHash(row));
      if (Buffer.compare(hashes.get(hash) ?? key, key) === 0) void hashes.remove(hash);
      void rows.remove(key);
      if (row.form === 'short') continue;
      for (const tx of decodeBlock(this.#section('blocks', height)).txs) {
        const id = txKey(sha256(tx));
        const found = txs.get(id);
        if (found !== undefined && decodePlace(found).height === height) void txs.remove(id);
      }
      void blocks.remove(key);
      void results.remove(key);
    }
  }
}

interface Pruned {
  /** New first height. */
  readonly first: bigint;
  readonly heights: readonly bigint[];
}

function wholeRow({ signedHeader, state, block }: BlockRecord, txCount: number): WholeRow {
  return { form: 'whole', signedHeader, state, blockBytes: block.length, txCount };
}

function getHash(row: WholeRow | ShortRow): Uint8Array {
  return row.form === 'short' ? row.hash : decodeSignedHeader(row.signedHeader).commit.blockId.hash;
}

const hashKey = (hash: Uint8Array): Uint8Array => hash.subarray(0, BLOCK_HASH_BYTES);
const txKey = (hash: Uint8Array): Uint8Array => hash.subarray(0, TX_HASH_BYTES);

function heightKey(height: bigint): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(height);
  return bytes;
}

const decodeHeight = (key: Uint8Array): bigint => new DataView(key.buffer, key.byteOffset).getBigUint64(0);

function encodePlace({ height, index }: TxPlace): Uint8Array {
  const bytes = Buffer.alloc(12);
  bytes.writeBigUInt64BE(height);
  bytes.writeUInt32BE(index, 8);
  return bytes;
}

function decodePlace(bytes: Uint8Array): TxPlace {
  return { height: decodeHeight(bytes), index: new DataView(bytes.buffer, bytes.byteOffset).getUint32(8) };
}
