import { type StoreDamaged, StoreFile } from '@switchyard/storage';
import type { Place } from './segments.ts';

/** Where a transaction and its result are, counted from the start of the record of its block. */
export interface TxPlace {
  readonly height: bigint;
  /** Position in the block. */
  readonly index: number;
  readonly tx: Span;
  readonly result: Span;
}

export interface Span {
  readonly offset: number;
  readonly length: number;
}

/** What a block adds to the index. */
export interface IndexEntry {
  readonly height: bigint;
  readonly place: Place;
  /** Length of the record. */
  readonly bytes: number;
  readonly hash: Uint8Array;
  readonly txs: readonly { readonly hash: Uint8Array; readonly place: TxPlace }[];
}

/** Enough entries that writing them together is cheap, few enough to find again in a moment after a crash. */
const FLUSH_ENTRIES = 2_048;
const FLUSH_BLOCKS = 256;
const FLUSH_BYTES = 32 * 1024 * 1024;

const INDEXED = Buffer.from('m');
/** The lowest height that is kept, once some were deleted. */
const FIRST = Buffer.from('f');
/** Waits to be removed. */
const REMOVED = Buffer.alloc(0);
const TX_PLACE_BYTES = 28;
const SHORT_HASH_BYTES = 8;

/**
 * Finds blocks by height and hash, and transactions by hash.
 *
 * The log of blocks is what counts; this can be made from it again. So entries wait in memory, are written many at once,
 * and whoever opens the index adds those of the blocks after `indexed`, which a crash has taken away.
 */
export class BlockIndex {
  readonly #file: StoreFile<Uint8Array>;
  #waiting = new Map<string, Buffer>();
  #waitingBlocks = 0;
  #waitingBytes = 0;
  /** Being written: still answered from memory. */
  #leaving = new Map<string, Buffer>();
  #writing: Promise<unknown> = Promise.resolve();

  constructor(path: string, onDamage?: (error: StoreDamaged) => void) {
    this.#file = new StoreFile<Uint8Array>(path, 'block-index', { keys: 'binary', onDamage });
  }

  /** Up to where the index on disk goes: the last block's height and what follows its record. */
  get indexed(): { readonly height: bigint; readonly next: Place } | undefined {
    const value = this.#stored(INDEXED);
    if (value === undefined) return undefined;
    return { height: value.readBigUInt64BE(0), next: decodePlace(value.subarray(8)) };
  }

  /** The lowest height that was kept when blocks were last deleted. */
  get first(): bigint {
    return this.#get(FIRST)?.readBigUInt64BE(0) ?? 0n;
  }

  place(height: bigint): Place | undefined {
    const value = this.#get(heightKey(height));
    return value === undefined ? undefined : decodePlace(value);
  }

  /** Height of the block whose hash may be this one: only its first bytes are kept, so the caller compares the rest. */
  heightOf(blockHash: Uint8Array): bigint | undefined {
    // Indexes that were begun earlier have whole hashes.
    const row = this.#get(hashKey('s', blockHash.subarray(0, SHORT_HASH_BYTES))) ?? this.#get(hashKey('b', blockHash));
    return row?.readBigUInt64BE(0);
  }

  /** Of bytes that occur in several blocks, the last place. */
  tx(hash: Uint8Array): TxPlace | undefined {
    const value = this.#get(hashKey('t', hash));
    return value === undefined ? undefined : decodeTxPlace(value);
  }

  /** Blocks come in order of height, without a gap. */
  add({ height, place, bytes, hash, txs }: IndexEntry): void {
    this.#put(heightKey(height), encodePlace(place));
    this.#put(hashKey('s', hash.subarray(0, SHORT_HASH_BYTES)), encodeHeight(height));
    for (const tx of txs) this.#put(hashKey('t', tx.hash), encodeTxPlace(tx.place));
    const next = { segment: place.segment, offset: place.offset + bytes };
    this.#put(INDEXED, Buffer.concat([encodeHeight(height), encodePlace(next)]));
    this.#waitingBlocks += 1;
    this.#waitingBytes += bytes;
  }

  /** Takes a block away that is about to be deleted. */
  remove({ height, hash, txHashes }: { height: bigint; hash: Uint8Array; txHashes: readonly Uint8Array[] }): void {
    this.#put(heightKey(height), REMOVED);
    for (const key of [hashKey('s', hash.subarray(0, SHORT_HASH_BYTES)), hashKey('b', hash)]) {
      if (this.#get(key)?.readBigUInt64BE(0) === height) this.#put(key, REMOVED);
    }
    for (const txHash of txHashes) if (this.tx(txHash)?.height === height) this.#put(hashKey('t', txHash), REMOVED);
  }

  /** From now on there is nothing below this height. */
  startAt(height: bigint): void {
    this.#put(FIRST, encodeHeight(height));
  }

  /** Whether it is time to `flush`. */
  get isFull(): boolean {
    if (this.#leaving.size > 0) return false;
    return (
      this.#waiting.size >= FLUSH_ENTRIES || this.#waitingBlocks >= FLUSH_BLOCKS || this.#waitingBytes >= FLUSH_BYTES
    );
  }

  /** Resolves when everything added before is on disk. What could not be written stays and is tried again. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#waiting.size === 0) return;
    const entries = this.#waiting;
    this.#leaving = entries;
    this.#waiting = new Map();
    this.#waitingBlocks = 0;
    this.#waitingBytes = 0;
    const writing = this.#file.batch(() => {
      for (const [key, value] of entries) {
        const bytes = Buffer.from(key, 'latin1');
        void (value === REMOVED ? this.#file.main.remove(bytes) : this.#file.main.put(bytes, value));
      }
    });
    this.#writing = writing.catch(() => undefined);
    try {
      await writing;
    } catch (error) {
      this.#waiting = new Map([...entries, ...this.#waiting]);
      throw error;
    } finally {
      this.#leaving = new Map();
    }
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#file.close();
  }

  #get(key: Buffer): Buffer | undefined {
    const text = key.toString('latin1');
    const value = this.#waiting.get(text) ?? this.#leaving.get(text) ?? this.#stored(key);
    return value === REMOVED ? undefined : value;
  }

  #stored(key: Buffer): Buffer | undefined {
    const value = this.#file.main.get(key);
    return value && Buffer.from(value.buffer, value.byteOffset, value.length);
  }

  #put(key: Buffer, value: Buffer): void {
    this.#waiting.set(key.toString('latin1'), value);
  }
}

function encodeHeight(height: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(height);
  return bytes;
}

function heightKey(height: bigint): Buffer {
  return Buffer.concat([Buffer.from('h'), encodeHeight(height)]);
}

function hashKey(kind: 'b' | 's' | 't', hash: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(kind), hash]);
}

function encodePlace({ segment, offset }: Place): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64BE(BigInt(segment), 0);
  bytes.writeBigUInt64BE(BigInt(offset), 8);
  return bytes;
}

function decodePlace(bytes: Buffer): Place {
  return { segment: Number(bytes.readBigUInt64BE(0)), offset: Number(bytes.readBigUInt64BE(8)) };
}

function encodeTxPlace({ height, index, tx, result }: TxPlace): Buffer {
  const bytes = Buffer.alloc(TX_PLACE_BYTES);
  bytes.writeBigUInt64BE(height, 0);
  const numbers = [index, tx.offset, tx.length, result.offset, result.length];
  for (const [i, value] of numbers.entries()) bytes.writeUInt32BE(value, 8 + 4 * i);
  return bytes;
}

function decodeTxPlace(bytes: Buffer): TxPlace {
  return {
    height: bytes.readBigUInt64BE(0),
    index: bytes.readUInt32BE(8),
    tx: { offset: bytes.readUInt32BE(12), length: bytes.readUInt32BE(16) },
    result: { offset: bytes.readUInt32BE(20), length: bytes.readUInt32BE(24) },
  };
}
