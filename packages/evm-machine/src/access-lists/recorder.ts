import { EMPTY_CODE_HASH } from '../state/account.ts';
import type { AccountState } from '../state/state.ts';
import type { Address, Hash } from '../types.ts';
import type { AccountAccess, BlockAccessList, Change } from './access-list.ts';

/** Records all that a block accesses while it is executed (EIP-7928). A change is one from before an index to after it. */
export class AccessRecorder {
  /** See `Change`. Moved by the code that executes the block. */
  index = 0;
  readonly #accounts = new Map<Address, RecordedAccount>();

  /** Records an unchanged account. */
  accessed(address: Address): void {
    this.#recorded(address);
  }

  /**
   * Records an account that was accessed, whether or not it was changed.
   *
   * @param codeOf Gives the code of `after`.
   */
  account(
    address: Address,
    before: AccountState | undefined,
    after: AccountState | undefined,
    getCode: (hash: Hash) => Uint8Array,
  ): void {
    const { balances, nonces, codes, code } = this.#recorded(address);
    const { index } = this;
    balances.set(index, before?.balance ?? 0n, after?.balance ?? 0n);
    nonces.set(index, before?.nonce ?? 0n, after?.nonce ?? 0n);
    const codeHash = after?.codeHash ?? EMPTY_CODE_HASH;
    if (codes.set(index, before?.codeHash ?? EMPTY_CODE_HASH, codeHash)) code.set(codeHash, getCode(codeHash));
  }

  /** Records a slot that was accessed: as read, if its value is unchanged. */
  slot(address: Address, key: Hash, before: bigint, after: bigint): void {
    const { slots } = this.#recorded(address);
    let slot = slots.get(key);
    if (slot === undefined) {
      slot = new Changes();
      slots.set(key, slot);
    }
    slot.set(this.index, before, after);
  }

  list(): BlockAccessList {
    return inOrder(this.#accounts).map(([address, account]) => toAccess(address, account));
  }

  #recorded(address: Address): RecordedAccount {
    const known = this.#accounts.get(address);
    if (known !== undefined) return known;
    const account: RecordedAccount = {
      balances: new Changes(),
      nonces: new Changes(),
      codes: new Changes(),
      code: new Map(),
      slots: new Map(),
    };
    this.#accounts.set(address, account);
    return account;
  }
}

interface RecordedAccount {
  readonly balances: Changes<bigint>;
  readonly nonces: Changes<bigint>;
  readonly codes: Changes<Hash>;
  /** Found by the hashes in `codes`. */
  readonly code: Map<Hash, Uint8Array>;
  readonly slots: Map<Hash, Changes<bigint>>;
}

/** The values of one thing after each index that changed it. */
class Changes<T extends bigint | Hash> {
  readonly made: Change<T>[] = [];
  #index = -1;
  #before: T | undefined;

  /** @returns Whether it differs from the one before this index. */
  set(index: number, before: T, after: T): boolean {
    if (index !== this.#index) {
      this.#index = index;
      this.#before = before;
    }
    if (this.made.at(-1)?.index === index) this.made.pop();
    if (after === this.#before) return false;
    this.made.push({ index, value: after });
    return true;
  }
}

function toAccess(address: Address, { balances, nonces, codes, code, slots }: RecordedAccount): AccountAccess {
  const ordered = inOrder(slots);
  return {
    address,
    storageChanges: ordered.flatMap(([slot, { made }]) => (made.length === 0 ? [] : [{ slot, changes: made }])),
    storageReads: ordered.flatMap(([slot, { made }]) => (made.length === 0 ? [slot] : [])),
    balanceChanges: balances.made,
    nonceChanges: nonces.made,
    codeChanges: codes.made.map(({ index, value }) => ({ index, value: code.get(value) ?? NO_CODE })),
  };
}

const NO_CODE = new Uint8Array();

/** Hex of one length and one case is ordered as its bytes are. */
function inOrder<K extends string, T>(map: ReadonlyMap<K, T>): readonly (readonly [K, T])[] {
  const ordered: (readonly [K, T])[] = [];
  for (const key of [...map.keys()].sort()) {
    const value = map.get(key);
    if (value !== undefined) ordered.push([key, value]);
  }
  return ordered;
}
