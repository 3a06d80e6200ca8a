import * as rlp from '@switchyard/protocol/ethereum';
import type { Hash } from '../types.ts';
import type { AccountAccess, BlockAccessList, SlotChanges } from './access-list.ts';

/** The list in these bytes, ordered as it must be and without repetitions. @throws {InvalidRlp} */
export function decodeAccessList(bytes: Uint8Array): BlockAccessList {
  const list = rlp.asList(rlp.decodeRlp(bytes)).map(decodeAccount);
  checkOrder('addresses', list, ({ address }) => address);
  return list;
}

function decodeAccount(tree: rlp.RlpTree): AccountAccess {
  const [address, changed, read, balances, nonces, codes] = rlp.asList(tree, 6);
  const account = rlp.bytesToHex(rlp.asBytes(address, 20));
  const storageChanges = rlp.asList(changed).map(decodeSlot);
  const storageReads = rlp.asList(read).map(decodeKey);
  checkOrder(`changed slots of ${account}`, storageChanges, ({ slot }) => slot);
  checkOrder(`read slots of ${account}`, storageReads, (slot) => slot);
  const both = new Set(storageChanges.map(({ slot }) => slot));
  const twice = storageReads.find((slot) => both.has(slot));
  if (twice !== undefined) throw new rlp.InvalidRlp(`slot ${twice} of ${account} is both changed and read`);
  return {
    address: account,
    storageChanges,
    storageReads,
    balanceChanges: decodeChanges(balances, `balances of ${account}`, (value) => rlp.asUint(value, 32)),
    nonceChanges: decodeChanges(nonces, `nonces of ${account}`, (value) => rlp.asUint(value, 8)),
    codeChanges: decodeChanges(codes, `codes of ${account}`, (value) => rlp.asBytes(value)),
  };
}

function decodeSlot(tree: rlp.RlpTree): SlotChanges {
  const [key, made] = rlp.asList(tree, 2);
  const slot = decodeKey(key);
  const changes = decodeChanges(made, `values of slot ${slot}`, (value) => rlp.asUint(value, 32));
  if (changes.length === 0) throw new rlp.InvalidRlp(`slot ${slot} is changed without a change`);
  return { slot, changes };
}

function decodeChanges<T>(tree: rlp.RlpTree | undefined, name: string, read: (value: rlp.RlpTree | undefined) => T) {
  const changes = rlp.asList(tree).map((each) => {
    const [index, value] = rlp.asList(each, 2);
    return { index: Number(rlp.asUint(index, 4)), value: read(value) };
  });
  checkOrder(name, changes, ({ index }) => index);
  return changes;
}

function decodeKey(tree: rlp.RlpTree | undefined): Hash {
  return rlp.toWord(rlp.asUint(tree, 32));
}

/** @throws {InvalidRlp} unless each comes after the one before it. */
function checkOrder<T>(name: string, items: readonly T[], keyOfItem: (item: T) => string | number): void {
  let before: string | number | undefined;
  for (const item of items) {
    const key = keyOfItem(item);
    if (before !== undefined && key <= before) throw new rlp.InvalidRlp(`${name}: ${key} after ${before}`);
    before = key;
  }
}
