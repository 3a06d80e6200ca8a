import { committed, openDatabase, toResult } from '../database.ts';
import type { StoredKey } from './key.ts';

/** The keys of this browser, for this origin. */
export interface KeyStore {
  all(): Promise<readonly StoredKey[]>;
  /** Keeps a key, unless there is one already: two pages that open at once end up with the same one. */
  putFirst(key: StoredKey): Promise<void>;
  put(key: StoredKey): Promise<void>;
}

const KEYS = 'keys';

/**
 * Keys of pages of this origin, in IndexedDB.
 *
 * @throws if the browser keeps nothing, as in some private windows.
 */
export async function openKeyStore(name = 'switchyard-keys'): Promise<KeyStore> {
  const database = await openDatabase(name, 1, (made) => made.createObjectStore(KEYS, { keyPath: 'address' }));
  const keys = (mode: IDBTransactionMode) => database.transaction(KEYS, mode).objectStore(KEYS);
  return {
    // Only pages of this origin write them, and a browser keeps them.
    all: async () => ((await toResult(keys('readonly').getAll())) as StoredKey[]).sort(byAge),
    async putFirst(key) {
      const store = keys('readwrite');
      if ((await toResult(store.count())) === 0) store.put(key);
      await committed(store.transaction);
    },
    async put(key) {
      const store = keys('readwrite');
      store.put(key);
      await committed(store.transaction);
    },
  };
}

const byAge = (left: StoredKey, right: StoredKey) => left.createdAt - right.createdAt;
