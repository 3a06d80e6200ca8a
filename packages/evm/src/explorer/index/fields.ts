import { itemAt, type RlpItem } from '../../blocks/rlp.ts';
import { hexOf, numberOf } from '../../hex.ts';
import type { Address } from '../../types.ts';

/** Positions of nonce and recipient among the fields, by type. */
const NONCE = [0, 1, 1, 1, 1];
const RECIPIENT = [3, 4, 5, 5, 5];

/** What the index needs of a transaction, read without taking the rest apart. */
export function nonceAndRecipient(raw: Uint8Array): { readonly nonce: bigint; readonly to: Address | undefined } {
  const first = raw[0] ?? 0;
  const type = first >= 0xc0 ? 0 : first;
  const list = itemAt(raw, type === 0 ? 0 : 1, raw.length);
  const items: RlpItem[] = [];
  const last = RECIPIENT[type] ?? 0;
  for (let at = list.start; items.length <= last; ) {
    const item = itemAt(raw, at, list.end);
    items.push(item);
    at = item.end;
  }
  const field = (position: number | undefined): Uint8Array => {
    const item = items[position ?? 0];
    return raw.subarray(item?.start, item?.end);
  };
  const to = field(RECIPIENT[type]);
  return { nonce: numberOf(field(NONCE[type])), to: to.length === 0 ? undefined : hexOf(to) };
}
