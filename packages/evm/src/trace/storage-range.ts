import type { Watch } from '@switchyard/evm-machine/interface';
import { StateOverlay } from '@switchyard/evm-machine/overlay';
import type { StateReader } from '@switchyard/evm-machine/state';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { hexToBytes, keccakHex, toWord } from '@switchyard/protocol/ethereum';
import { serverError } from '../json/errors.ts';

/**
 * Slots of one contract, as go-ethereum answers them: by the hash of their key, which is their order in the trie. Null where
 * it has none at all. (go-ethereum 1.17.8 leaves out changes of earlier transactions of the same block.)
 */
export interface StorageRange {
  readonly storage: Readonly<Record<Hash, { readonly key: Hash; readonly value: Hash }>> | null;
  /** Beginning of the next part; null at the end. */
  readonly nextKey: Hash | null;
}

export interface StorageRangeQuery {
  readonly address: Address;
  /** The first hash; the slots themselves are not in its order. */
  readonly start: Hash;
  readonly limit: number;
  /** All slots that may have a value if no overlay of the state has changed them, in pieces. */
  readonly slots: Iterable<readonly Hash[]>;
}

/** Limit for one contract: each slot is hashed and read for every answer. */
const MAX_SLOTS = 200_000;
export const MAX_RANGE = 10_000;

/** @throws {JsonRpcError} for a contract with too many slots. */
export function storageRange(state: StateOverlay, { address, start, limit, slots }: StorageRangeQuery, watch: Watch) {
  const seen = new Set<Hash>();
  let isEmpty = true;
  const found: (readonly [hash: Hash, slot: Hash, value: bigint])[] = [];
  for (const piece of both(changedSlots(state, address), slots)) {
    for (const slot of piece) {
      if (seen.has(slot)) continue;
      seen.add(slot);
      const value = state.storage(address, slot);
      if (value === 0n) continue;
      isEmpty = false;
      const hash = keccakHex(hexToBytes(slot));
      if (hash >= start) found.push([hash, slot, value]);
    }
    if (seen.size > MAX_SLOTS)
      throw serverError(`the contract has more than ${MAX_SLOTS} slots, which are too many to put in order`);
    watch(0);
  }
  if (isEmpty) return { storage: null, nextKey: null };
  found.sort(([left], [right]) => (left < right ? -1 : 1));
  const most = Math.min(limit, MAX_RANGE);
  const storage = found.slice(0, most).map(([hash, key, value]) => [hash, { key, value: toWord(value) }] as const);
  return { storage: Object.fromEntries(storage), nextKey: found[most]?.[0] ?? null };
}

/** Slots that were changed in this overlay and in the ones below. */
function* changedSlots(state: StateReader, address: Address): Generator<readonly Hash[]> {
  for (let each = state; each instanceof StateOverlay; each = each.base)
    yield [...(each.slots.get(address)?.keys() ?? [])];
}

function* both(...lists: readonly Iterable<readonly Hash[]>[]): Generator<readonly Hash[]> {
  for (const list of lists) yield* list;
}
