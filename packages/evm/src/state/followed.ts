import type { AccountState, StateReader } from '@switchyard/evm-machine/state';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { HistoryGone } from '../chain/chain.ts';
import { GenerationalCache } from './generational-cache.ts';
import type { StoredStates } from './stored.ts';

/** Values of the newest state that stay in memory until the next block. */
const HOT_ACCOUNTS = 20_000;
const HOT_SLOTS = 50_000;
const HOT_CODES = 256;

/** The states of a database to which another thread writes, up to the block that this thread was notified of. */
export class FollowedStates {
  readonly #stored: Pick<StoredStates, 'at'>;
  readonly #codes = new GenerationalCache<Hash, Uint8Array>(HOT_CODES);
  #newest: { readonly number: bigint; readonly state: StateReader };

  constructor(stored: Pick<StoredStates, 'at'>, newest: bigint) {
    this.#stored = stored;
    this.#newest = { number: newest, state: this.#remembering(newest) };
  }

  /** Changes the newest block. */
  follow(newest: bigint): void {
    if (newest !== this.#newest.number) this.#newest = { number: newest, state: this.#remembering(newest) };
  }

  /** After block `number`; unaffected by later writes. @throws {HistoryGone} above the newest block. */
  at(number: bigint): StateReader {
    const { number: newest, state } = this.#newest;
    if (number === newest) return state;
    if (number > newest || number < 0n) throw new HistoryGone(`no state of block ${number}: the newest is ${newest}`);
    return this.#stored.at(number);
  }

  #remembering(number: bigint): StateReader {
    const stored = this.#stored.at(number);
    const accounts = new GenerationalCache<Address, { readonly account: AccountState | undefined }>(HOT_ACCOUNTS);
    const slots = new GenerationalCache<string, bigint>(HOT_SLOTS);
    const codes = this.#codes;
    return {
      account(address) {
        const known = accounts.get(address);
        if (known !== undefined) return known.account;
        const account = stored.account(address);
        accounts.set(address, { account });
        return account;
      },
      storage(address, slot) {
        const key = address + slot;
        const known = slots.get(key);
        if (known !== undefined) return known;
        const value = stored.storage(address, slot);
        slots.set(key, value);
        return value;
      },
      code(codeHash) {
        const known = codes.get(codeHash);
        if (known !== undefined) return known;
        const code = stored.code(codeHash);
        codes.set(codeHash, code);
        return code;
      },
    };
  }
}
