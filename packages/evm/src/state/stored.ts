import { EMPTY_CODE_HASH } from '@switchyard/evm-machine/account';
import type { StateOverlay } from '@switchyard/evm-machine/overlay';
import type { StateReader } from '@switchyard/evm-machine/state';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import type { Database } from '../database/database.ts';
import { StateRows } from './rows.ts';
import { StateStore } from './store.ts';

/**
 * The states of a database to which another thread writes. Nothing is remembered: the newest row may be old at the
 * next read.
 */
export class StoredStates {
  readonly #database: Database;
  readonly #rows: StateRows;
  /** For roots; of the block that was the newest when it was made. */
  #newest: StateStore | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#rows = new StateRows(database);
  }

  /** After block `number`, which is on disk; unaffected by later writes. */
  at(number: bigint): StateReader {
    const rows = this.#rows;
    return {
      // The newest value is read first: if a block replaces it now, that block has noted the old one.
      account(address) {
        const newest = rows.account(address);
        const before = rows.accountBefore(address, number);
        return before === undefined ? newest : before.account;
      },
      storage(address, slot) {
        const newest = rows.slot(address, slot);
        return rows.slotBefore(address, slot, number) ?? newest;
      },
      code(codeHash) {
        const code = codeHash === EMPTY_CODE_HASH ? new Uint8Array() : rows.code(codeHash);
        if (code === undefined) throw new Error(`the state has no code with hash ${codeHash}`);
        return code;
      },
    };
  }

  /** See `StateRows.slotsEver`. */
  slotsEver(address: Address): Iterable<readonly Hash[]> {
    return this.#rows.slotsEver(address);
  }

  /** See `StateStore.rootWith`. One turn of the event loop reads one version of the database. */
  rootWith(number: bigint, changes: StateOverlay): Hash {
    if (this.#newest?.headNumber !== this.#rows.head('state')?.number) this.#newest = undefined;
    this.#newest ??= new StateStore(this.#database);
    return this.#newest.rootWith(number, changes);
  }
}
