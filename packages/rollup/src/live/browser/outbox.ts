import { memoryOutbox, type Outbox, type StoredAction, turnOf } from '../outbox.ts';
import { committed, openDatabase, toResult } from './database.ts';
import { whilePageIsOpen } from './page-life.ts';
import { canShare, joinTabs } from './tabs.ts';

export interface OpenOutboxOptions {
  /** Names the database; pages of one origin with the same name share their actions. */
  readonly name?: string;
  /** Called with the reason why actions are kept by this page alone, and are lost when it is closed. */
  readonly onProblem?: (reason: string) => void;
}

const ACTIONS = 'actions';
const TURNS = 'turns';

/**
 * Opens the actions of this browser that are not executed yet, in IndexedDB: they survive a reload, and one tab at a time sends those of an
 * account. A browser that keeps nothing, as in some private windows or over plain HTTP, leaves them in the memory of the page.
 *
 * @example
 * ```ts
 * const outbox = await openOutbox({ onProblem: (reason) => console.warn(reason) });
 * const app = liveClient(counter, { url: 'http://127.0.0.1:3030', signer, outbox });
 * ```
 */
export async function openOutbox({ name = 'switchyard-outbox', onProblem }: OpenOutboxOptions = {}): Promise<Outbox> {
  return openStored(name).catch((error: unknown) => {
    onProblem?.(`actions are lost when this page is closed: ${error instanceof Error ? error.message : String(error)}`);
    return memoryOutbox();
  });
}

async function openStored(name: string): Promise<Outbox> {
  if (!canShare()) throw new Error('browsers keep them only for pages from https:// or from this machine');
  const database = await openDatabase(name, 1, (made) => {
    made.createObjectStore(ACTIONS, { keyPath: 'key' }).createIndex('account', ['account', 'at']);
    made.createObjectStore(TURNS);
  });
  const channel = new BroadcastChannel(name);
  /** The numbers of the turns that this page has. */
  const own = new Map<string, number>();

  return {
    hold(turn, work) {
      const hold = () => {
        const ending = new AbortController();
        const begin = (number: number) => {
          if (ending.signal.aborted) return undefined;
          own.set(turn, number);
          return work(ending.signal);
        };
        // A database that fails rejects each call of `put` with the reason.
        void takeTurn(database, turn).then(begin, () => undefined);
        const close = () => {
          own.delete(turn);
          ending.abort();
        };
        return { greet: () => undefined, request: () => undefined, close };
      };
      return whilePageIsOpen(() => joinTabs(`${name} ${turn}`, { hold, receive: () => undefined, isForUser: true }))
        .close;
    },
    async load(account) {
      const actions = transactionOf(database, 'readonly').objectStore(ACTIONS).index('account');
      // Only pages of this origin write them.
      return (await toResult(actions.getAll(IDBKeyRange.bound([account], [account, []])))) as StoredAction[];
    },
    async put(action) {
      await change(database, async (actions, turns) => {
        const { key, signed, tries } = action;
        if (signed !== undefined) {
          // Bytes that another page has kept since may have been sent.
          const turn = turnOf(action);
          const known = (await toResult(actions.get(key))) as StoredAction | undefined;
          if ((await toResult(turns.get(turn))) !== own.get(turn) || known === undefined || known.tries >= tries)
            throw new Error(`another tab sends the actions of ${action.account} now`);
        }
        actions.put(action);
      });
      channel.postMessage('changed');
    },
    async delete(key) {
      await change(database, (actions) => void actions.delete(key));
      channel.postMessage('changed');
    },
    onChange(listener) {
      const notify = () => listener();
      channel.addEventListener('message', notify);
      return () => channel.removeEventListener('message', notify);
    },
  };
}

/** From then on no other page keeps signed bytes for it, not even a page that was suspended while it signed. @returns its number. */
async function takeTurn(database: IDBDatabase, turn: string): Promise<number> {
  let number = 1;
  await change(database, async (_, turns) => {
    number += Number((await toResult(turns.get(turn))) ?? 0);
    turns.put(number, turn);
  });
  return number;
}

/** Resolves once it is on the disk, and throws for a disk that is full; bytes are sent only afterwards. */
async function change(
  database: IDBDatabase,
  work: (actions: IDBObjectStore, turns: IDBObjectStore) => unknown,
): Promise<void> {
  const transaction = transactionOf(database, 'readwrite');
  const done = committed(transaction);
  await Promise.all([work(transaction.objectStore(ACTIONS), transaction.objectStore(TURNS)), done]);
}

function transactionOf(database: IDBDatabase, mode: IDBTransactionMode): IDBTransaction {
  try {
    return database.transaction([ACTIONS, TURNS], mode, { durability: 'strict' });
  } catch (error) {
    throw new Error('another tab has a newer version of this page: reload this one', { cause: error });
  }
}
