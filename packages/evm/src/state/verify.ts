import { dirname } from 'node:path';
import { accountRlp, decodeAccount, EMPTY_CODE_HASH, slotRlp } from '@switchyard/evm-machine/account';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { bytesToBigInt, bytesToHex, keccakHex } from '@switchyard/protocol/ethereum';
import { StoreFile, type StoreTable } from '@switchyard/storage';
import { headerRowAt } from '../chain/header-rows.ts';
import { decodeHead, HEAD_KEYS } from './rows.ts';
import { type Leaf, trieRoot } from './trie/root.ts';

const TABLES = ['accounts', 'slots', 'code', 'state-heads', 'headers'] as const;
type Tables = Readonly<Record<(typeof TABLES)[number], StoreTable<Uint8Array>>>;

export interface VerifiedState {
  readonly number: bigint;
  readonly accounts: number;
  readonly slots: number;
}

/**
 * Derives the state root of the newest block from the values of accounts, slots and code, and compares it with the one
 * that the state names and the one in the block's header. The file may be in use. It is mapped: inspect it first.
 *
 * @returns the verified facts, or the fault; undefined if the database holds no state, as over a geth.
 */
export function verifyStateFile(path: string): VerifiedState | string | undefined {
  const file = new StoreFile<Uint8Array>(dirname(path), 'evm', { keys: 'binary', isReadOnly: true });
  try {
    return verifyState(Object.fromEntries(TABLES.map((name) => [name, file.table(name)])) as Tables);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    void file.close();
  }
}

function verifyState(tables: Tables): VerifiedState | string | undefined {
  const row = tables['state-heads'].get(HEAD_KEYS.state);
  if (row === undefined) return undefined;
  const { number, root } = decodeHead(row);
  const storages = iterateStorages(tables.slots.entries({}));
  const codes = new Set<Hash>([EMPTY_CODE_HASH]);
  const leaves: Leaf[] = [];
  let slots = 0;
  let storage = storages.next();
  for (const [key, value] of tables.accounts.entries({})) {
    const address = bytesToHex(key);
    const { codeHash, storageRoot } = decodeAccount(value);
    if (!storage.done && storage.value.address < address) break;
    const own = !storage.done && storage.value.address === address ? storage.value.leaves : [];
    const derived = trieRoot(own);
    if (derived !== storageRoot) return `account ${address}: its slots have root ${derived}, expected ${storageRoot}`;
    if (!codes.has(codeHash) && !hasCode(tables.code, codeHash))
      return `account ${address}: no code has hash ${codeHash}`;
    codes.add(codeHash);
    slots += own.length;
    if (own.length > 0) storage = storages.next();
    leaves.push({ path: getPath(key), value: () => accountRlp(decodeAccount(present(tables.accounts.get(key)))) });
  }
  if (!storage.done) return `slots of account ${storage.value.address}: the state has no such account`;
  const derived = trieRoot(leaves);
  if (derived !== root) return `the accounts of block ${number} have root ${derived}, expected ${root}`;
  const inHeader = headerRowAt(tables.headers, number)?.header.stateRoot;
  if (inHeader !== root) return `the state of block ${number} has root ${root}, its header ${inHeader ?? 'is missing'}`;
  return { number, accounts: leaves.length, slots };
}

/** The slots of each account that has some, in the order of the addresses. */
function* iterateStorages(
  rows: Iterable<readonly [key: Uint8Array, value: Uint8Array]>,
): Generator<{ readonly address: Address; readonly leaves: readonly Leaf[] }> {
  let address: Address | undefined;
  let leaves: Leaf[] = [];
  for (const [key, value] of rows) {
    const owner = bytesToHex(key.subarray(0, 20));
    if (address !== undefined && owner !== address) {
      yield { address, leaves };
      leaves = [];
    }
    address = owner;
    leaves.push({ path: getPath(key.subarray(20)), value: () => slotRlp(bytesToBigInt(value)) });
  }
  if (address !== undefined) yield { address, leaves };
}

function hasCode(codes: Tables['code'], codeHash: Hash): boolean {
  const code = codes.get(Buffer.from(codeHash.slice(2), 'hex'));
  return code !== undefined && keccakHex(code) === codeHash;
}

const getPath = (key: Uint8Array): string => keccakHex(key).slice(2);

function present(row: Uint8Array | undefined): Uint8Array {
  if (row === undefined) throw new Error('a row is missing in the snapshot that had it');
  return row;
}
