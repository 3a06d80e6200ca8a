import type { StoredKey } from './key.ts';

/** The keys of this browser, for this origin. */
export interface KeyStore {
  all(): Promise<readonly StoredKey[]>;
  /** Keeps a key, unless there is one already: two pages that open at once end up with the same one. */
  putFirst(key: StoredKey): Promise<void>;
  put(key: StoredKey): Promise<void>;
}

const DATABASE = 'switchyard-chat';
const KEYS = 'keys';

/** @throws if the browser keeps nothing, as in some private windows. */
export async function openKeyStore(): Promise<KeyStore> {
  const open = indexedDB.open(DATABASE, 1);
  open.onupgradeneeded = () => open.result.createObjectStore(KEYS, { keyPath: 'address' });
  const database = await toResult(open);
  database.onversionchange = () => database.close();
  const keys = (mode: IDBTransactionMode) => database.transaction(KEYS, mode).objectStore(KEYS);
  return {
    // Only this page writes them, and a browser keeps them.
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

function toResult<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the browser keeps no data'));
  });
}

function committed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error('the browser kept nothing'));
  });
}
