import { type RollupId, rollupIdBytes, type TxHash, txHashBytes, txHashOf } from '@switchyard/protocol';

/** One byte string for a rollup. */
export interface Item {
  readonly rollup: RollupId;
  readonly data: Uint8Array;
  /** SHA-256 of the data. */
  readonly hash: TxHash;
  /** SHA-256 of `hash` and the submitter's idempotency key, if there was one. */
  readonly keyed?: TxHash;
  /** Items that it shares a transaction with. */
  readonly group?: Group;
}

/** Items that go into one sequencer transaction, in their order, or nowhere. They have consecutive numbers in one chunk. */
export interface Group {
  /** SHA-256 over the rollup id and `Item.hash` of each item. */
  readonly hash: TxHash;
  /** SHA-256 of `hash` and the submitter's idempotency key, if there was one. */
  readonly keyed?: TxHash;
  readonly items: readonly Item[];
}

/** Entry of an atomic bundle, as submitted. */
export interface Entry {
  readonly rollup: RollupId;
  readonly data: Uint8Array;
}

/** In place of a rollup if hashes are those of groups. No rollup id reads like this. */
export const GROUPS = 'groups';
export type Space = RollupId | typeof GROUPS;

export const MAX_ENTRIES = 256;

/** @param keyed Makes `Group.keyed` from the group's hash. */
export function getGroup(entries: readonly Entry[], keyed: (hash: TxHash) => TxHash | undefined): Group {
  const hashed = entries.map(({ rollup, data }) => ({ rollup, data, hash: txHashOf(data) }));
  const hash = txHashOf(Buffer.concat(hashed.flatMap((each) => [rollupIdBytes(each.rollup), txHashBytes(each.hash)])));
  const id = keyed(hash);
  const items: Item[] = [];
  const group: Group = { hash, ...(id === undefined ? {} : { keyed: id }), items };
  for (const { rollup, data, hash: each } of hashed) items.push({ rollup, data, hash: each, group });
  return group;
}

export function beginsGroup(item: Item): boolean {
  return item.group !== undefined && item.group.items[0] === item;
}

/** Whether it belongs together with the item before it. */
export function continuesGroup(item: Item): boolean {
  return item.group !== undefined && item.group.items[0] !== item;
}
