import type { Database, Key, RangeOptions } from 'lmdb';
import { openSealed, sealValue, sealValueOnce, tableSeed } from './checksum.ts';
import type { Room } from './room.ts';
import type { StoreKey, StoreRange, StoreTable } from './store-table.ts';

/** Called with the key of a record that differs from the written one. Never returns. */
export type OnWrongRecord = (table: string, key: Uint8Array) => never;

/** Records under keys, each sealed on its way to the file and checked on its way back. */
export class LmdbTable<K extends StoreKey> implements StoreTable<K> {
  readonly name: string;
  readonly #seed: number;
  readonly #room: Room;
  readonly #onWrong: OnWrongRecord;
  /** Replaced each time the file is remapped; undefined if a read-only file lacks the table. */
  #db: Database<Uint8Array, K> | undefined;

  constructor(name: string, db: Database<Uint8Array, K> | undefined, room: Room, onWrong: OnWrongRecord) {
    this.name = name;
    this.#seed = tableSeed(name);
    this.#db = db;
    this.#room = room;
    this.#onWrong = onWrong;
  }

  remapped(db: Database<Uint8Array, K> | undefined): void {
    this.#db = db;
  }

  get(key: K): Uint8Array | undefined {
    const shared = this.#db?.getBinaryFast(key);
    return shared === undefined ? undefined : this.#opened(key, shared);
  }

  *entries(range: StoreRange<K>): Iterable<readonly [key: K, value: Uint8Array]> {
    for (const { key, value } of this.#db?.getRange(bounded(range)) ?? [])
      yield [key as K, this.#opened(key as K, value)];
  }

  keys(range: StoreRange<K>): Iterable<K> {
    return (this.#db?.getKeys(bounded(range)) ?? []) as Iterable<K>;
  }

  count(): number {
    return this.#stats().entryCount;
  }

  usedBytes(): number {
    const { pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages } = this.#stats();
    return pageSize * (treeBranchPageCount + treeLeafPageCount + overflowPages);
  }

  putSync(key: K, value: Uint8Array): void {
    this.#room.writeSync(value.length, () =>
      this.#present().putSync(key, sealValueOnce(this.#seed, keyBytes(key), value)),
    );
  }

  removeSync(key: K): void {
    this.#room.writeSync(0, () => this.#present().removeSync(key));
  }

  put(key: K, value: Uint8Array): Promise<boolean> {
    const sealed = sealValue(this.#seed, keyBytes(key), value);
    return this.#room.write(value.length, () => this.#present().put(key, sealed));
  }

  remove(key: K): Promise<boolean> {
    return this.#room.write(0, () => this.#present().remove(key));
  }

  #present(): Database<Uint8Array, K> {
    if (this.#db === undefined) throw new Error(`the file has no table ${this.name}`);
    return this.#db;
  }

  /** The library declares no members. */
  #stats() {
    return this.#present().getStats() as Readonly<
      Record<'entryCount' | 'pageSize' | 'treeBranchPageCount' | 'treeLeafPageCount' | 'overflowPages', number>
    >;
  }

  #opened(key: K, stored: Uint8Array): Uint8Array {
    const covered = keyBytes(key);
    // LMDB returns a value at the front of a larger buffer, with a length property that the library sets.
    const value = openSealed(this.#seed, covered, stored, stored.length);
    return value ?? this.#onWrong(this.name, typeof covered === 'string' ? Buffer.from(covered) : covered);
  }
}

/** The library takes a present, undefined bound as open, and chooses a key in place of a missing one. */
function bounded<K extends StoreKey>({ start, end, ...range }: StoreRange<K>): RangeOptions {
  // Its declaration has neither such bounds, nor bytes as keys.
  return { ...range, start: start as Key, end: end as Key } as RangeOptions;
}

/** Bytes of a key in the form of the file. */
function keyBytes(key: StoreKey): string | Uint8Array {
  if (typeof key !== 'number') return key;
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(key);
  return bytes;
}
