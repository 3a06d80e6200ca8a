import type { Address } from '@switchyard/evm-machine/types';
import { bytesToBigInt, bytesToHex, readItem } from '@switchyard/protocol/ethereum';

/** Positions of nonce and recipient among the fields, by type. */
const NONCE = [0, 1, 1, 1, 1];
const RECIPIENT = [3, 4, 5, 5, 5];

/** Reads the fields that the index needs of a transaction, without taking the rest apart. */
export function nonceAndRecipient(raw: Uint8Array): { readonly nonce: bigint; readonly to: Address | undefined } {
  const first = raw[0] ?? 0;
  const type = first >= 0xc0 ? 0 : first;
  readItem(item, raw, type === 0 ? 0 : 1, raw.length);
  const { end: limit } = item;
  readItem(item, raw, item.start, limit);
  let nonce = 0n;
  for (let position = 0; position < (RECIPIENT[type] ?? 0); position += 1) {
    if (position === NONCE[type]) nonce = bytesToBigInt(raw, item.start, item.end);
    readItem(item, raw, item.end, limit);
  }
  return { nonce, to: item.start === item.end ? undefined : bytesToHex(raw.subarray(item.start, item.end)) };
}

/** The current one. */
const item = { isList: false, start: 0, end: 0 };
