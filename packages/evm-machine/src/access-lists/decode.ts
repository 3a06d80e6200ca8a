import {
  decodeRlp,
  hexOf,
  InvalidRlp,
  listOf,
  type RlpTree,
  stringOf,
  uintOf,
  wordOf,
} from '@switchyard/protocol/ethereum';
import type { Hash } from '../types.ts';
import type { AccountAccess, BlockAccessList, Change, SlotChanges } from './access-list.ts';

/** The list in these bytes, ordered as it must be and without repetitions. @throws {InvalidRlp} */
export function decodeAccessList(bytes: Uint8Array): BlockAccessList {
  const list = listOf(decodeRlp(bytes)).map(accountOf);
  checkOrder('addresses', list, ({ address }) => address);
  return list;
}

function accountOf(tree: RlpTree): AccountAccess {
  const [address, changed, read, balances, nonces, codes] = listOf(tree, 6);
  const account = hexOf(stringOf(address, 20));
  const storageChanges = listOf(changed).map(slotOf);
  const storageReads = listOf(read).map(keyOf);
  checkOrder(`changed slots of ${account}`, storageChanges, ({ slot }) => slot);
  checkOrder(`read slots of ${account}`, storageReads, (slot) => slot);
  const both = new Set(storageChanges.map(({ slot }) => slot));
  const twice = storageReads.find((slot) => both.has(slot));
  if (twice !== undefined) throw new InvalidRlp(`slot ${twice} of ${account} is both changed and read`);
  return {
    address: account,
    storageChanges,
    storageReads,
    balanceChanges: changesOf(balances, `balances of ${account}`, (value) => uintOf(value, 32)),
    nonceChanges: changesOf(nonces, `nonces of ${account}`, (value) => uintOf(value, 8)),
    codeChanges: changesOf(codes, `codes of ${account}`, (value) => stringOf(value)),
  };
}

function slotOf(tree: RlpTree): SlotChanges {
  const [key, made] = listOf(tree, 2);
  const slot = keyOf(key);
  const changes = changesOf(made, `values of slot ${slot}`, (value) => uintOf(value, 32));
  if (changes.length === 0) throw new InvalidRlp(`slot ${slot} is changed without a change`);
  return { slot, changes };
}

function changesOf<T>(tree: RlpTree | undefined, name: string, read: (value: RlpTree | undefined) => T): Change<T>[] {
  const changes = listOf(tree).map((each) => {
    const [index, value] = listOf(each, 2);
    return { index: Number(uintOf(index, 4)), value: read(value) };
  });
  checkOrder(name, changes, ({ index }) => index);
  return changes;
}

function keyOf(tree: RlpTree | undefined): Hash {
  return wordOf(uintOf(tree, 32));
}

/** @throws {InvalidRlp} unless each comes after the one before it. */
function checkOrder<T>(name: string, items: readonly T[], keyOfItem: (item: T) => string | number): void {
  let before: string | number | undefined;
  for (const item of items) {
    const key = keyOfItem(item);
    if (before !== undefined && key <= before) throw new InvalidRlp(`${name}: ${key} after ${before}`);
    before = key;
  }
}
