/** An action on its way to a block, as an outbox keeps it. */
export interface StoredAction {
  readonly key: string;
  /** 20 bytes as hex. */
  readonly account: string;
  readonly chainId: string;
  /** Fingerprint of the definition that has its actions. */
  readonly fingerprint: string;
  /** Position in the order of the outbox: a larger one than those of all actions before. */
  readonly at: number;
  /** A body of the definition with its actions. */
  readonly actions: Uint8Array;
  /** Decimal digits of the last block that may have it, if it was chosen by the caller. */
  readonly lastBlock?: string;
  readonly signed?: SignedAction;
  /** Reasons of refusals for which it waits. */
  readonly waitFor?: readonly string[];
  /** How often it was signed. */
  readonly tries: number;
}

/** The bytes under which an action is sent. While a block may have them, it is sent under no others. */
export interface SignedAction {
  readonly bytes: Uint8Array;
  readonly hash: string;
  readonly nonce: number;
  /** Cursor of the notification before it was signed: later outcomes tell whether a block has it. */
  readonly cursor: string;
  /** Decimal digits of the last block that may have it. */
  readonly lastBlock?: string;
}

/** Actions that are sent by one client at a time. A client with another version of the definition does not hold them up. */
export const turnOf = ({ account, fingerprint }: Pick<StoredAction, 'account' | 'fingerprint'>): string =>
  `${account} ${fingerprint}`;

/** Keeps actions until their outcome is known. */
export interface Outbox {
  /**
   * Runs `work` while no other client sends, until the signal aborts; waits its turn.
   *
   * @param turn As {@link turnOf} makes it.
   */
  hold(turn: string, work: (signal: AbortSignal) => Promise<void>): () => void;
  load(account: string): Promise<readonly StoredAction[]>;
  /** Resolves when it is durable. @throws {Error} for signed bytes, if another client has the turn. */
  put(action: StoredAction): Promise<void>;
  delete(key: string): Promise<void>;
  /** Calls the listener after changes by other clients. */
  onChange(listener: () => void): () => void;
}

/** An outbox for one or several clients of a process. It forgets everything when the process ends. */
export function memoryOutbox(): Outbox {
  const actions = new Map<string, StoredAction>();
  const turns = new Map<string, Promise<void>>();
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    hold(turn, work) {
      const ended = new AbortController();
      const before = turns.get(turn) ?? Promise.resolve();
      const mine = before.then(() => (ended.signal.aborted ? undefined : work(ended.signal))).catch(() => undefined);
      turns.set(turn, mine);
      return () => ended.abort();
    },
    load: async (account) => [...actions.values()].filter((each) => each.account === account),
    async put(action) {
      actions.set(action.key, action);
      changed();
    },
    async delete(key) {
      actions.delete(key);
      changed();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
