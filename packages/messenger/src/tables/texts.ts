import {
  raw,
  type Snapshot,
  type StateReader,
  type StateWriter,
  table,
  u32Key,
  u64,
  u64Key,
} from '@switchyard/machine';
import type { BlockRecord } from '@switchyard/rollup/node';
import type { MessengerEvent } from '../events.ts';
import { decodeTexts, encodeRow, HEADER_BYTES, type Posted, recordBytes, type Text } from './text-rows.ts';

export type { Text } from './text-rows.ts';

/** Texts of one block, some at a time, under the id of the first: rows are few, and are written in order. */
const chunks = table({ prefix: 'index/texts/', key: u64Key, value: raw });
const counts = table({ prefix: 'index/text-count/', key: u32Key, value: u64, absent: 0n });

const CHUNK_TEXTS = 64;
const CHUNK_BYTES = 16_384;

/** Number of texts, the greeting included; also the id of the next one. */
export function textCount(state: StateReader): bigint {
  return counts.get(state, 0);
}

/** Writes text 0. */
export function writeGreeting(state: StateWriter): void {
  append(state, { number: 0n, time: { seconds: 0n, nanos: 0 } }, [
    { sender: '00'.repeat(20), transaction: '00'.repeat(32), name: 'astria', text: 'hello world' },
  ]);
}

export function writeTexts(state: StateWriter, block: BlockRecord<MessengerEvent>): void {
  const posted: Posted[] = [];
  for (const { event, signer, transaction } of block.events) {
    if (event.kind === 'text') posted.push({ sender: signer, transaction, name: event.name, text: event.text });
  }
  if (posted.length > 0) append(state, block, posted);
}

function append(
  state: StateWriter,
  block: Pick<BlockRecord<unknown>, 'number' | 'time'>,
  posted: readonly Posted[],
): void {
  let next = textCount(state);
  for (let some: Posted[] = [], size = HEADER_BYTES, index = 0; index < posted.length; ) {
    for (; index < posted.length && some.length < CHUNK_TEXTS; index += 1) {
      const each = posted[index];
      if (each === undefined) break;
      const bytes = recordBytes(each);
      if (some.length > 0 && size + bytes > CHUNK_BYTES) break;
      some.push(each);
      size += bytes;
    }
    chunks.put(state, next, encodeRow(block, some, size));
    next += BigInt(some.length);
    some = [];
    size = HEADER_BYTES;
  }
  counts.put(state, 0, next);
}

/** The row of the chunk that begins at `first`. */
export function textChunk(state: StateReader, first: bigint): Uint8Array | undefined {
  return chunks.get(state, first);
}

export function textById(snapshot: Snapshot, id: bigint): Text | undefined {
  return textsFrom(snapshot, id, 1)[0];
}

/** Rows may hold few texts each, as on a quiet chain: they are then read some at a time. */
const MAX_ROWS = 32;

/** Up to `limit` texts in ascending order, from `first` on. */
export function textsFrom(snapshot: Snapshot, first: bigint, limit: number): Text[] {
  const count = textCount(snapshot);
  if (first >= count || limit <= 0) return [];
  // The chunk that holds the text begins at its id or before it.
  const [holding] = chunks.range(snapshot, { before: first + 1n, reverse: true, limit: 1 });
  if (holding === undefined) return [];
  let after = holding[0];
  const found = decodeTexts(holding[1], after, first, limit);
  for (let rows = 1; found.length < limit; rows = Math.min(2 * rows, MAX_ROWS)) {
    const last = after;
    for (const [id, row] of chunks.range(snapshot, { after, limit: rows })) {
      after = id;
      found.push(...decodeTexts(row, id, id, limit - found.length));
      if (found.length === limit) break;
    }
    if (after === last) break;
  }
  return found;
}
