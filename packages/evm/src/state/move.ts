import { accountRlp, EMPTY_ROOT, slotRlp } from '@switchyard/evm-machine/account';
import type { StateReader } from '@switchyard/evm-machine/state';
import type { Hash } from '@switchyard/evm-machine/types';
import { bytesToHex } from '@switchyard/protocol/ethereum';
import type { Keys } from './changed-keys.ts';
import { accountTrie, leaf, storageTrie } from './leaves.ts';
import { ACCOUNTS, type TrieName } from './rows.ts';
import type { Base } from './sealed.ts';
import { type TrieRow, updateTrie } from './trie/update.ts';

export interface Moved {
  readonly root: Hash;
  readonly tries: ReadonlyMap<TrieName, ReadonlyMap<string, TrieRow | undefined>>;
}

/**
 * The tries of another state, from those of a state that differs in some keys.
 *
 * @param tries Of the one state.
 * @param state The other; it is also right about all keys that are not in `keys`.
 */
export function moveTries(tries: Pick<Base, 'trieRow'>, keys: Keys, state: StateReader): Moved {
  const base: Base = { ...recordReads(state), trieRow: tries.trieRow.bind(tries), getSlots: () => [] };
  const moved = new Map<TrieName, ReadonlyMap<string, TrieRow | undefined>>();
  for (const [address, slots] of keys.slots) {
    const leaves = [...slots].map((slot) => {
      const value = state.storage(address, slot);
      return leaf(slot, value === 0n ? undefined : slotRlp(value));
    });
    const { root, rows } = updateTrie(storageTrie(base, address), leaves);
    const expected = state.account(address)?.storageRoot ?? EMPTY_ROOT;
    const got = root === undefined ? EMPTY_ROOT : bytesToHex(root);
    if (got !== expected) throw new Error(`the storage of ${address} has root ${got}, expected ${expected}`);
    moved.set(address, rows);
  }
  const leaves = [...keys.accounts].map((address) => {
    const account = state.account(address);
    return leaf(address, account && accountRlp(account));
  });
  const { root, rows } = updateTrie(accountTrie(base), leaves);
  moved.set(ACCOUNTS, rows);
  return { root: root === undefined ? EMPTY_ROOT : bytesToHex(root), tries: moved };
}

function recordReads(state: StateReader): StateReader {
  return {
    account: (address) => state.account(address),
    storage: (address, slot) => state.storage(address, slot),
    code: (codeHash) => state.code(codeHash),
  };
}
