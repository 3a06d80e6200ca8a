import type { AccountState, StateReader } from '@switchyard/evm-machine/state';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import type { TrieName } from './rows.ts';
import type { TrieRow } from './trie/update.ts';

export interface AccountChange {
  readonly before: AccountState | undefined;
  readonly after: AccountState | undefined;
}

export interface SlotChange {
  readonly before: bigint;
  readonly after: bigint;
}

/** All that one block changes. */
export interface Changes {
  readonly accounts: ReadonlyMap<Address, AccountChange>;
  readonly slots: ReadonlyMap<Address, ReadonlyMap<Hash, SlotChange>>;
  readonly codes: ReadonlyMap<Hash, Uint8Array>;
  /** Rows of tries by path; undefined for deleted ones. */
  readonly tries: ReadonlyMap<TrieName, ReadonlyMap<string, TrieRow | undefined>>;
}

/** A state whose root is known, so that another can be sealed on top of it. */
export interface Base extends StateReader {
  trieRow(trie: TrieName, path: string): TrieRow | undefined;
  /** Slots of an account that are not 0. */
  getSlots(address: Address): Iterable<Hash>;
}

const NOTHING: Changes = { accounts: new Map(), slots: new Map(), codes: new Map(), tries: new Map() };

/** The state after a block: in memory until the block is written, and on disk from then on. */
export class SealedState implements Base {
  readonly root: Hash;
  #changes: Changes;
  #below: Base;

  /** @param below What the block changed: on disk, or of a block that is sealed and not written. */
  constructor(root: Hash, changes: Changes, below: Base) {
    this.root = root;
    this.#changes = changes;
    this.#below = below;
  }

  get changes(): Changes {
    return this.#changes;
  }

  account(address: Address): AccountState | undefined {
    let state: Base = this;
    while (state instanceof SealedState) {
      const change = state.#changes.accounts.get(address);
      if (change !== undefined) return change.after;
      state = state.#below;
    }
    return state.account(address);
  }

  storage(address: Address, slot: Hash): bigint {
    let state: Base = this;
    while (state instanceof SealedState) {
      const change = state.#changes.slots.get(address)?.get(slot);
      if (change !== undefined) return change.after;
      state = state.#below;
    }
    return state.storage(address, slot);
  }

  code(codeHash: Hash): Uint8Array {
    let state: Base = this;
    while (state instanceof SealedState) {
      const code = state.#changes.codes.get(codeHash);
      if (code !== undefined) return code;
      state = state.#below;
    }
    return state.code(codeHash);
  }

  trieRow(trie: TrieName, path: string): TrieRow | undefined {
    let state: Base = this;
    while (state instanceof SealedState) {
      const rows = state.#changes.tries.get(trie);
      const row = rows?.get(path);
      if (row !== undefined || rows?.has(path)) return row;
      state = state.#below;
    }
    return state.trieRow(trie, path);
  }

  getSlots(address: Address): Iterable<Hash> {
    const slots = new Set(this.#below.getSlots(address));
    for (const [slot, { after }] of this.#changes.slots.get(address) ?? []) {
      if (after === 0n) slots.delete(slot);
      else slots.add(slot);
    }
    return slots;
  }

  /** The block is on disk, where `committed` reads it: the copy in memory is released. */
  written(committed: Base): void {
    this.#changes = NOTHING;
    this.#below = committed;
  }
}
