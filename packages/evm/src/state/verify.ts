import { dirname } from 'node:path';
import { accountRlp, decodeAccount, EMPTY_CODE_HASH, EMPTY_ROOT, slotRlp } from '@switchyard/evm-machine/account';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { bytesToBigInt, bytesToHex, keccak256, keccakHex } from '@switchyard/protocol/ethereum';
import { StoreFile, type StoreTable } from '@switchyard/storage';
import { headerRowAt } from '../chain/header-rows.ts';
import { decodeHead, HEAD_KEYS } from './rows.ts';
import { BRANCH, Branch } from './trie/branch.ts';
import { extensionRlp, leafRlp, nibbleAt } from './trie/node-rlp.ts';

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

/** A key that a trie holds. */
interface Leaf {
  /** Keccak-256 of the key: 64 hex digits. */
  readonly path: string;
  /** RLP of the leaf's value. Called once, in the order of the paths. */
  readonly value: () => Uint8Array;
}

/** Root of the trie of these leaves alone. Needs memory for the leaves and for the nodes of one path. */
function trieRoot(leaves: readonly Leaf[]): Hash {
  if (leaves.length === 0) return EMPTY_ROOT;
  const sorted = [...leaves].sort((a, b) => (a.path < b.path ? -1 : 1));
  return bytesToHex(keccak256(getNode(sorted, 0, sorted.length, 0)));
}

/** RLP of the node that stands below `depth` nibbles, which leaves `first` to `end` share. Valid until the next call. */
function getNode(leaves: readonly Leaf[], first: number, end: number, depth: number): Uint8Array {
  const { path, value } = leafAt(leaves, first);
  if (end - first === 1) return leafRlp(path, depth, value());
  const last = leafAt(leaves, end - 1).path;
  let fork = depth;
  while (path.charCodeAt(fork) === last.charCodeAt(fork)) fork++;
  const branch = new Branch();
  for (let at = first; at < end; ) {
    const nibble = nibbleAt(leafAt(leaves, at).path, fork);
    let next = at + 1;
    while (next < end && nibbleAt(leafAt(leaves, next).path, fork) === nibble) next++;
    // The kind and the note serve searches for the nodes below.
    branch.set(nibble, BRANCH, getNode(leaves, at, next, fork + 1), '');
    at = next;
  }
  const rlp = branch.rlp();
  if (fork === depth) return rlp;
  const embedded = rlp.length < 32;
  return extensionRlp(path, depth, fork, embedded ? rlp : keccak256(rlp), embedded);
}

function leafAt(leaves: readonly Leaf[], index: number): Leaf {
  const leaf = leaves[index];
  if (leaf === undefined) throw new RangeError(`no leaf ${index} of ${leaves.length}`);
  return leaf;
}
