import { accountRlp, EMPTY_CODE_HASH, EMPTY_ROOT, slotRlp } from '@switchyard/evm-machine/account';
import type { StateOverlay } from '@switchyard/evm-machine/overlay';
import type { AccountState } from '@switchyard/evm-machine/state';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { bytesToHex } from '@switchyard/protocol/ethereum';
import { accountTrie, leaf, storageTrie } from './leaves.ts';
import { ACCOUNTS, type TrieName } from './rows.ts';
import { type AccountChange, type Base, SealedState, type SlotChange } from './sealed.ts';
import { type Change, type TrieRow, updateTrie } from './trie/update.ts';

/** Computes the root of an overlay on top of `base`: one pass over each trie that changed. */
export function seal(overlay: StateOverlay, base: Base): SealedState {
  const slots = new Map<Address, ReadonlyMap<Hash, SlotChange>>();
  const tries = new Map<TrieName, ReadonlyMap<string, TrieRow | undefined>>();
  const roots = new Map<Address, Hash>();
  for (const address of new Set([...overlay.slots.keys(), ...overlay.cleared])) {
    const changed = changedSlots(overlay, base, address);
    if (changed.size === 0) continue;
    const { root, rows } = updateTrie(storageTrie(base, address), slotLeaves(changed));
    slots.set(address, changed);
    tries.set(address, rows);
    roots.set(address, root === undefined ? EMPTY_ROOT : bytesToHex(root));
  }
  const accounts = changedAccounts(overlay, base, roots);
  const { root, rows } = updateTrie(accountTrie(base), accountLeaves(accounts));
  tries.set(ACCOUNTS, rows);
  const codes = usedCodes(overlay, accounts);
  return new SealedState(root === undefined ? EMPTY_ROOT : bytesToHex(root), { accounts, slots, codes, tries }, base);
}

/** Slots of an account that does not exist in the end are gone, regardless of writes to them. */
function changedSlots(overlay: StateOverlay, base: Base, address: Address): Map<Hash, SlotChange> {
  const changed = new Map<Hash, SlotChange>();
  const note = (slot: Hash, before: bigint, after: bigint): void => {
    if (before !== after) changed.set(slot, { before, after });
  };
  const written = overlay.account(address) === undefined ? undefined : overlay.slots.get(address);
  if (overlay.cleared.has(address) && base.account(address) !== undefined) {
    for (const slot of base.getSlots(address)) note(slot, base.storage(address, slot), written?.get(slot) ?? 0n);
  }
  for (const [slot, value] of written ?? []) note(slot, base.storage(address, slot), value);
  return changed;
}

function changedAccounts(overlay: StateOverlay, base: Base, roots: ReadonlyMap<Address, Hash>) {
  const changed = new Map<Address, AccountChange>();
  const note = (address: Address, account: AccountState | undefined): void => {
    const before = base.account(address);
    // The storage root given by the writer is ignored: the slots decide.
    const storageRoot = roots.get(address) ?? before?.storageRoot ?? EMPTY_ROOT;
    const after = account && (account.storageRoot === storageRoot ? account : { ...account, storageRoot });
    if (!same(before, after)) changed.set(address, { before, after });
  };
  for (const [address, account] of overlay.accounts) note(address, account);
  for (const address of roots.keys()) if (!overlay.accounts.has(address)) note(address, base.account(address));
  return changed;
}

function same(a: AccountState | undefined, b: AccountState | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.nonce === b.nonce && a.balance === b.balance && a.codeHash === b.codeHash && a.storageRoot === b.storageRoot;
}

function accountLeaves(accounts: ReadonlyMap<Address, AccountChange>): Change[] {
  const leaves: Change[] = [];
  for (const [address, { after }] of accounts) leaves.push(leaf(address, after && accountRlp(after)));
  return leaves;
}

function slotLeaves(slots: ReadonlyMap<Hash, SlotChange>): Change[] {
  const leaves: Change[] = [];
  for (const [slot, { after }] of slots) leaves.push(leaf(slot, after === 0n ? undefined : slotRlp(after)));
  return leaves;
}

/** Code that a transaction of the block put and took back is not kept. */
function usedCodes(overlay: StateOverlay, accounts: ReadonlyMap<Address, AccountChange>): Map<Hash, Uint8Array> {
  const used = new Map<Hash, Uint8Array>();
  if (overlay.codes.size === 0) return used;
  for (const { before, after } of accounts.values()) {
    if (after === undefined || after.codeHash === before?.codeHash || after.codeHash === EMPTY_CODE_HASH) continue;
    const code = overlay.codes.get(after.codeHash);
    if (code !== undefined) used.set(after.codeHash, code);
  }
  return used;
}
