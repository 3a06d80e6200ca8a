import {
  asBytes,
  asList,
  asUint,
  bytesToHex,
  decodeRlp,
  InvalidRlp,
  type RlpTree,
  toWord,
} from '@switchyard/protocol/ethereum';
import type { Hash } from '../types.ts';
import type { AccountAccess, BlockAccessList, SlotChanges } from './access-list.ts';

/** The list in these bytes, ordered as it must be and without repetitions. @throws {InvalidRlp} */
export function decodeAccessList(bytes: Uint8Array): BlockAccessList {
  const list = asList(decodeRlp(bytes)).map(decodeAccount);
  checkOrder('addresses', list, ({ address }) => address);
  return list;
}

function decodeAccount(tree: RlpTree): AccountAccess {
  const [address, changed, read, balances, nonces, codes] = asList(tree, 6);
  const account = bytesToHex(asBytes(address, 20));
  const storageChanges = asList(changed).map(decodeSlot);
  const storageReads = asList(read).map(decodeKey);
  checkOrder(`changed slots of ${account}`, storageChanges, ({ slot }) => slot);
  checkOrder(`read slots of ${account}`, storageReads, (slot) => slot);
  const both = new Set(storageChanges.map(({ slot }) => slot));
  const twice = storageReads.find((slot) => both.has(slot));
  if (twice !== undefined) throw new InvalidRlp(`slot ${twice} of ${account} is both changed and read`);
  return {
    address: account,
    storageChanges,
    storageReads,
    balanceChanges: decodeChanges(balances, `balances of ${account}`, (value) => asUint(value, 32)),
    nonceChanges: decodeChanges(nonces, `nonces of ${account}`, (value) => asUint(value, 8)),
    codeChanges: decodeChanges(codes, `codes of ${account}`, (value) => asBytes(value)),
  };
}

function decodeSlot(tree: RlpTree): SlotChanges {
  const [key, made] = asList(tree, 2);
  const slot = decodeKey(key);
  const changes = decodeChanges(made, `values of slot ${slot}`, (value) => asUint(value, 32));
  if (changes.length === 0) throw new InvalidRlp(`slot ${slot} is changed without a change`);
  return { slot, changes };
}

function decodeChanges<T>(tree: RlpTree | undefined, name: string, read: (value: RlpTree | undefined) => T) {
  const changes = asList(tree).map((each) => {
    const [index, value] = asList(each, 2);
    return { index: Number(asUint(index, 4)), value: read(value) };
  });
  checkOrder(name, changes, ({ index }) => index);
  return changes;
}

function decodeKey(tree: RlpTree | undefined): Hash {
  return toWord(asUint(tree, 32));
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
