import { Rejected } from '@switchyard/protocol';

export const MAX_BATCH_ITEMS = 4_096;
export const MAX_BATCH_BYTES = 4 * 1_048_576;

/**
 * Takes a batch apart: for each item four bytes with its length, big-endian, and its bytes. The items are views.
 *
 * @throws {Rejected} if the lengths do not add up, or there are too many items.
 */
export function decodeBatch(body: Uint8Array): Uint8Array[] {
  const items: Uint8Array[] = [];
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  for (let at = 0; at < body.length; ) {
    if (items.length === MAX_BATCH_ITEMS) {
      throw new Rejected('too-large', { field: 'batch', limit: `${MAX_BATCH_ITEMS} items` });
    }
    if (body.length - at < 4) throw truncated(items.length, 4, body.length - at);
    const length = view.getUint32(at);
    at += 4;
    if (body.length - at < length) throw truncated(items.length, length, body.length - at);
    items.push(body.subarray(at, at + length));
    at += length;
  }
  if (items.length === 0) throw new Rejected('empty', { field: 'batch' });
  return items;
}

function truncated(item: number, expected: number, got: number): Rejected {
  return new Rejected('malformed', { field: 'batch', item, expected: `${expected} bytes`, got: `${got} bytes` });
}
