import type { Row } from '@switchyard/machine/browser';
import type { ChainFacts, ChainStorage } from '../verify/chain-storage.ts';
import { committed, openDatabase, toResult } from './database.ts';

const ROWS = 'rows';
const FACTS = 'facts';

/** Keeps an executed chain in IndexedDB. The first page or worker that reads it writes it as long as it lives, and others wait for that. */
export function browserChain(name: string): ChainStorage {
  const opened = openDatabase(name, 1, (made) => {
    made.createObjectStore(ROWS);
    made.createObjectStore(FACTS);
  });
  // It is that of each call.
  opened.catch(() => undefined);
  let turn: Promise<boolean> | undefined;
  /** Resolves with whether this is the writer: at once if it is not to wait. */
  const lock = (ifAvailable: boolean) =>
    new Promise<boolean>((resolve, reject) => {
      if (!('locks' in navigator))
        throw new Error('browsers share it only for pages from https:// or from this machine');
      const hold = (held: Lock | null) => {
        resolve(held !== null);
        return held && new Promise(() => undefined);
      };
      navigator.locks.request(name, { ifAvailable }, hold).catch(reject);
    });

  return {
    async read() {
      const database = await opened;
      const isOwn = await lock(true);
      if (isOwn) turn = Promise.resolve(true);
      const transaction = database.transaction([ROWS, FACTS]);
      const stored = transaction.objectStore(ROWS);
      const [keys, values, facts] = await Promise.all([
        toResult(stored.getAllKeys()),
        toResult(stored.getAll()),
        toResult(transaction.objectStore(FACTS).get(FACTS)),
      ]);
      if (facts === undefined) return undefined;
      // Only this program writes them, and rows are compared with their root.
      const rows = keys.map((key, at) => [key, values[at]] as unknown as Row);
      return { facts: facts as ChainFacts, rows, isOwn };
    },
    async write(facts, changed, isWhole) {
      const database = await opened;
      turn ??= lock(false);
      await turn;
      const transaction = database.transaction([ROWS, FACTS], 'readwrite', { durability: 'relaxed' });
      const done = committed(transaction);
      const rows = transaction.objectStore(ROWS);
      if (isWhole) rows.clear();
      for (const [key, value] of changed) {
        if (value === undefined) rows.delete(key);
        else rows.put(value, key);
      }
      transaction.objectStore(FACTS).put(facts, FACTS);
      await done;
    },
  };
}
