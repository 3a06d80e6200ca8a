import type { Address } from '../../types.ts';

/** Where something is in the chain: a block, and a position in it. */
export interface Place {
  readonly block: bigint;
  /** Of a transaction, a log or a withdrawal in its block, as the table has it. */
  readonly position: number;
  /** Of several in one log. */
  readonly item?: number;
}

const ADDRESS_BYTES = 20;
const PLACE_BYTES = 12;
const ITEM_BYTES = 2;
/** After everything in a block. */
export const LAST_POSITION = 0xffff_ffff;

/** 8 bytes of block and 4 of position, big-endian: keys in the order of the chain. */
export function placeKey({ block, position }: Place): Uint8Array {
  const key = Buffer.alloc(PLACE_BYTES);
  key.writeBigUInt64BE(block);
  key.writeUInt32BE(position, 8);
  return key;
}

/** @param from Where in `bytes` it begins. */
export function placeAt(bytes: Uint8Array, from = 0): Place {
  const view = new DataView(bytes.buffer, bytes.byteOffset + from);
  return { block: view.getBigUint64(0), position: view.getUint32(8) };
}

/** An address and a place behind it. */
export function addressKey(address: Address, place: Place): Uint8Array {
  const { item } = place;
  const key = Buffer.alloc(ADDRESS_BYTES + PLACE_BYTES + (item === undefined ? 0 : ITEM_BYTES));
  key.write(address.slice(2), 'hex');
  key.writeBigUInt64BE(place.block, ADDRESS_BYTES);
  key.writeUInt32BE(place.position, ADDRESS_BYTES + 8);
  if (item !== undefined) key.writeUInt16BE(item, ADDRESS_BYTES + PLACE_BYTES);
  return key;
}

export function placeOfKey(key: Uint8Array): Place {
  const place = placeAt(key, ADDRESS_BYTES);
  const item = ADDRESS_BYTES + PLACE_BYTES;
  return key.length === item ? place : { ...place, item: ((key[item] ?? 0) << 8) | (key[item + 1] ?? 0) };
}

/** An account's nonce: 20 and 8 bytes. */
export function nonceKey(address: Address, nonce: bigint): Uint8Array {
  const key = Buffer.alloc(ADDRESS_BYTES + 8);
  key.write(address.slice(2), 'hex');
  key.writeBigUInt64BE(nonce, ADDRESS_BYTES);
  return key;
}

/** The key after all that begin with these bytes; undefined where there is none. */
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
