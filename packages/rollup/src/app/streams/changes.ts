import { deflateRawSync, inflateRawSync } from 'node:zlib';
import {
  accountId,
  bytes,
  decodeValue,
  encodeValue,
  list,
  nonces,
  type StateReader,
  type StateWriter,
  struct,
  u32,
} from '@switchyard/machine';
import type { AccountId } from '@switchyard/protocol';
import type { Receipt } from '../receipts.ts';
import { changeRows, changesKept } from '../tables.ts';

/*
 * Keys of the rows that the newest blocks changed, those of entries of indexes that they deleted, and the signers of their transactions:
 * streams send from them the changes since a block. A block without any has no row. Clients begin again if the list lacks a block.
 */

/** Changes of one block. */
export interface BlockChanges {
  /** Keys of the store, in their order. */
  readonly keys: readonly string[];
  /** Positions of the transactions of an account among the receipts of the block. */
  readonly bySigner: ReadonlyMap<AccountId, readonly number[]>;
  /** Bytes of the row. */
  readonly size: number;
}

const MOST_BLOCKS = 4_096n;
const MOST_BYTES = 32n * 1_048_576n;
/** A block that changes more rows empties the list. */
const MOST_KEYS = 50_000;
/** Accounts, tables of the state and derived tables. */
const FOLLOWED = /^(?:accounts|tables|index\/rows)\//;
/** Entries of indexes, by which rows are known to have left a part of one. Streams have no part of a search. */
const IN_INDEX = /^index\/by\/\w+\/(?!search\/)/;

/** For each receipt 0 or the place of its signer, from 1 on. The nonce of each signer has changed, and is not among the keys, which are packed. */
const row = struct({ signers: list(accountId), places: list(u32), keys: bytes });

/** @param changed Keys of the store, also of rows that no client can follow. */
export function writeChanges(
  state: StateWriter,
  block: bigint,
  changed: Iterable<string>,
  receipts: readonly Receipt[],
): void {
  const signers = new Map<AccountId, number>();
  const places = receipts.map(({ signer }) => {
    if (signer === undefined) return 0;
    const place = signers.get(signer) ?? signers.size + 1;
    signers.set(signer, place);
    return place;
  });
  const known = new Set([...signers.keys()].map(nonces.storeKey));
  const isListed = (key: string): boolean =>
    FOLLOWED.test(key) ? !known.has(key) : IN_INDEX.test(key) && state.get(key) === undefined;
  const keys = [...changed].filter(isListed).sort();
  const kept = changesKept.get(state);
  if (keys.length + places.length === 0) {
    // The list begins with the first block, also if that has changed nothing.
    if (kept === undefined) changesKept.put(state, { from: block, bytes: 0n });
    return;
  }
  if (keys.length + signers.size > MOST_KEYS) {
    emptyChanges(state, block);
    return;
  }
  const encoded = encodeValue(row, {
    signers: [...signers.keys()],
    places,
    keys: deflateRawSync(keys.join('\n'), { level: 1 }),
  });
  changeRows.put(state, block, encoded);
  const { from, bytes: before } = kept ?? { from: block, bytes: 0n };
  changesKept.put(state, { from, bytes: before + BigInt(encoded.length) });
}

/** @returns undefined if the changes of the block are not kept. */
function readChanges(state: StateReader, block: bigint): BlockChanges | undefined {
  if (block < (changesKept.get(state)?.from ?? block + 1n)) return undefined;
  const encoded = changeRows.get(state, block);
  const bySigner = new Map<AccountId, number[]>();
  if (encoded === undefined) return { keys: [], bySigner, size: 0 };
  const { signers, places, keys } = decodeValue(row, encoded);
  const ofSigners = signers.map((signer) => {
    const own: number[] = [];
    bySigner.set(signer, own);
    return own;
  });
  places.forEach((place, index) => void ofSigners[place - 1]?.push(index));
  const all = inflateRawSync(keys)
    .toString()
    .split('\n')
    .filter((key) => key !== '');
  return { keys: [...all, ...signers.map(nonces.storeKey)].sort(), bySigner, size: encoded.length };
}

/** Blocks, and bytes of their rows, whose changes are sent at once: the last one may have more. */
const BLOCKS_AT_ONCE = 512n;
const BYTES_AT_ONCE = 262_144;

/** Changes of some blocks, up to this one. */
export interface ChangesSince {
  readonly to: bigint;
  readonly blocks: readonly (BlockChanges & { readonly number: bigint })[];
}

/** Changes of some of the blocks behind this one; undefined if they are not kept. */
export function changesSince(state: StateReader, block: bigint, soft: bigint): ChangesSince | undefined {
  const blocks: ChangesSince['blocks'][number][] = [];
  let [to, size] = [block, 0];
  while (to < soft && to < block + BLOCKS_AT_ONCE && size < BYTES_AT_ONCE) {
    to += 1n;
    const changes = readChanges(state, to);
    if (changes === undefined) return undefined;
    if (changes.size > 0) blocks.push({ number: to, ...changes });
    size += changes.size;
  }
  return { to, blocks };
}

/** Deletes changes above the limits of the list. @param lowest The first block that is kept. */
export function pruneChanges(state: StateWriter, soft: bigint, lowest: bigint): void {
  const kept = changesKept.get(state);
  if (kept === undefined) return;
  const limit = [soft + 1n - MOST_BLOCKS, lowest].reduce((a, b) => (a > b ? a : b));
  let { from, bytes: left } = kept;
  for (; from <= soft && (from < limit || left > MOST_BYTES); from += 1n) left -= deleteRow(state, from);
  if (from > kept.from) changesKept.put(state, { from, bytes: left });
}

/** Deletes all changes up to a block, as rows were written without one or by other code. */
export function emptyChanges(state: StateWriter, soft: bigint): void {
  for (let block = changesKept.get(state)?.from ?? soft; block <= soft; block += 1n) deleteRow(state, block);
  changesKept.put(state, { from: soft + 1n, bytes: 0n });
}

function deleteRow(state: StateWriter, block: bigint): bigint {
  const stored = changeRows.get(state, block);
  if (stored === undefined) return 0n;
  changeRows.delete(state, block);
  return BigInt(stored.length);
}
