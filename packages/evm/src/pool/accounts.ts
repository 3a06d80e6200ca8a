import type { Address } from '@switchyard/evm-machine/types';
import type { PoolAccount, PoolChain } from './deps.ts';

const MAX_KNOWN = 20_000;

/** The committed state of accounts, read once for each commit. */
export class Accounts {
  readonly #chain: PoolChain;
  readonly #known = new Map<Address, PoolAccount>();
  /** One question for all who ask in the meantime, who are answered in the order in which they asked. */
  readonly #asked = new Map<Address, Promise<PoolAccount>>();
  /** Counts commits. */
  #commits = 0;

  constructor(chain: PoolChain) {
    this.#chain = chain;
  }

  /** Drops all known accounts, which may be outdated. */
  forget(): void {
    this.#commits += 1;
    this.#known.clear();
  }

  /** A value if it is known or the chain can say it at once. */
  get(address: Address): PoolAccount | Promise<PoolAccount> {
    const known = this.#known.get(address) ?? this.#asked.get(address);
    if (known !== undefined) return known;
    const answer = this.#chain.account(address);
    if (!(answer instanceof Promise)) {
      this.#remember(address, answer);
      return answer;
    }
    const waiting = this.#wait(address, answer).finally(() => this.#asked.delete(address));
    this.#asked.set(address, waiting);
    return waiting;
  }

  async #wait(address: Address, first: Promise<PoolAccount>): Promise<PoolAccount> {
    let wanted = this.#commits;
    let account = await first;
    while (wanted !== this.#commits) {
      wanted = this.#commits;
      account = await this.#chain.account(address);
    }
    this.#remember(address, account);
    return account;
  }

  #remember(address: Address, account: PoolAccount): void {
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(address, account);
  }
}
