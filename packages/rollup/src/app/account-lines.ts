import type { AccountId } from '@switchyard/protocol';

/** The place of a batch in the lines of its accounts. */
export interface Place {
  /** Resolves when all that came before, of any of these accounts, has left; absent if nothing did. */
  readonly ahead: Promise<unknown> | undefined;
  /** Must be called once. */
  leave(): void;
}

/**
 * Nonces count in the order of arrival, so transactions that come while a batch is verified wait behind it if it is of the same
 * account, and nowhere else: batches of one client do not hold up the others.
 */
export class AccountLines {
  /** For each account, when the last one in its line has left. */
  readonly #ends = new Map<AccountId, Promise<void>>();

  isEmpty(account: AccountId): boolean {
    return !this.#ends.has(account);
  }

  enter(accounts: ReadonlySet<AccountId>): Place {
    const before = new Set<Promise<void>>();
    let hasLeft = (): void => undefined;
    const end = new Promise<void>((resolve) => {
      hasLeft = resolve;
    });
    for (const account of accounts) {
      const last = this.#ends.get(account);
      if (last !== undefined) before.add(last);
      this.#ends.set(account, end);
    }
    return {
      ahead: before.size === 0 ? undefined : Promise.all(before),
      leave: () => {
        for (const account of accounts) if (this.#ends.get(account) === end) this.#ends.delete(account);
        hasLeft();
      },
    };
  }
}
