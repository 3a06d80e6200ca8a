import { accountRlp, slotRlp } from '@switchyard/evm-machine/account';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { keccakHex, putHex } from '@switchyard/protocol/ethereum';
import { toLatin1 } from './bytes.ts';
import { GenerationalCache } from './generational-cache.ts';
import { ACCOUNTS } from './rows.ts';
import type { Base } from './sealed.ts';
import type { Change, TrieSource } from './trie/update.ts';

/** The trie of accounts of a state, by address. */
export function accountTrie(base: Base): TrieSource {
  return {
    row: (path) => base.trieRow(ACCOUNTS, path),
    value(key) {
      const address = textHex(key);
      const account = base.account(address);
      if (account === undefined) throw new Error(`the trie has account ${address}, the state does not`);
      return accountRlp(account);
    },
    getPath,
  };
}

/** The trie of an account's storage, by slot. */
export function storageTrie(base: Base, address: Address): TrieSource {
  return {
    row: (path) => base.trieRow(address, path),
    value(key) {
      const slot = textHex(key);
      const value = base.storage(address, slot);
      if (value === 0n) throw new Error(`the trie of ${address} has slot ${slot}, the state does not`);
      return slotRlp(value);
    },
    getPath,
  };
}

/** @param value What the leaf shall hold, RLP; undefined removes it. */
export function leaf(key: Address | Hash, value: Uint8Array | undefined): Change {
  const bytes = new Uint8Array((key.length - 2) / 2);
  putHex(bytes, 0, key);
  return { key: toLatin1(bytes), path: pathOfKey(key, bytes), value };
}

/** Paths of keys that were hashed of late: most blocks touch accounts that others touched before. */
const paths = new GenerationalCache<string, string>(65_536);

/** The path of a key in its trie. @param bytes The bytes of the key, if known. */
export function pathOfKey(key: Address | Hash, bytes?: Uint8Array): string {
  const known = paths.get(key);
  if (known !== undefined) return known;
  const path = keccakHex(bytes ?? Buffer.from(key.slice(2), 'hex')).slice(2);
  paths.set(key, path);
  return path;
}

function getPath(key: string): string {
  return pathOfKey(textHex(key));
}

function textHex(key: string): `0x${string}` {
  return `0x${Buffer.from(key, 'latin1').toString('hex')}`;
}
