/** @throws if the browser keeps nothing, as in some private windows, or a newer version of the page has been here. */
export async function openDatabase(name: string, version: number, make: (database: IDBDatabase) => void) {
  const open = indexedDB.open(name, version);
  open.onupgradeneeded = () => make(open.result);
  const database = await toResult(open);
  // A newer version of the page in another tab waits for this.
  database.onversionchange = () => database.close();
  return database;
}

export function toResult<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the browser keeps no data'));
    if (request instanceof IDBOpenDBRequest)
      request.onblocked = () => reject(new Error('an older version of the page is open in another tab'));
  });
}

export function committed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error('the browser kept nothing'));
  });
}
