import type { Address } from '@switchyard/evm-machine/types';
import { putHex, putUint32, putUint64 } from '@switchyard/protocol/ethereum';

/** A position in the chain: a block, and an index in it. */
export interface Place {
  readonly block: bigint;
  /** Position of a transaction, a log or a withdrawal in its block, as the table has it. */
  readonly position: number;
  /** Position of a transfer among several in one log. */
  readonly item?: number;
}

const ADDRESS_BYTES = 20;
const PLACE_BYTES = 12;
const ITEM_BYTES = 2;
/** After everything in a block. */
export const LAST_POSITION = 0xffff_ffff;

/** 8 bytes of block and 4 of position, big-endian: keys in the order of the chain. */
export function placeKey(place: Place): Uint8Array {
  const key = new Uint8Array(PLACE_BYTES);
  putPlace(key, 0, place);
  return key;
}

function putPlace(into: Uint8Array, at: number, { block, position }: Place): void {
  putUint64(into, at, block);
  putUint32(into, at + 8, position);
}

/** @param from Its beginning in `bytes`. */
export function placeAt(bytes: Uint8Array, from = 0): Place {
  const view = new DataView(bytes.buffer, bytes.byteOffset + from);
  return { block: view.getBigUint64(0), position: view.getUint32(8) };
}

/** An address and a place behind it. */
export function addressKey(address: Address, place: Place): Uint8Array {
  const { item } = place;
  const key = new Uint8Array(ADDRESS_BYTES + PLACE_BYTES + (item === undefined ? 0 : ITEM_BYTES));
  putHex(key, 0, address);
  putPlace(key, ADDRESS_BYTES, place);
  if (item !== undefined) new DataView(key.buffer).setUint16(ADDRESS_BYTES + PLACE_BYTES, item);
  return key;
}

export function placeOfKey(key: Uint8Array): Place {
  const place = placeAt(key, ADDRESS_BYTES);
  const item = ADDRESS_BYTES + PLACE_BYTES;
  return key.length === item ? place : { ...place, item: ((key[item] ?? 0) << 8) | (key[item + 1] ?? 0) };
}

/** An account's nonce: 20 and 8 bytes. */
export function nonceKey(address: Address, nonce: bigint): Uint8Array {
  const key = new Uint8Array(ADDRESS_BYTES + 8);
  putHex(key, 0, address);
  putUint64(key, ADDRESS_BYTES, nonce);
  return key;
}

/** The key after all that begin with these bytes; undefined if there is none. */
export function afterPrefix(prefix: Uint8Array): Uint8Array | undefined {
  const end = Uint8Array.from(prefix);
  for (let at = end.length - 1; at >= 0; at -= 1) {
    const byte = end[at] ?? 0;
    if (byte === 0xff) continue;
    end[at] = byte + 1;
    return end.subarray(0, at + 1);
  }
  return undefined;
}
