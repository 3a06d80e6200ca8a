import { join } from 'node:path';
import { StoreDamaged } from '@switchyard/storage';
import { indexEntry, txHashesOf } from './index-entry.ts';
import { decodeHead, HEAD_BYTES, isWhole, MAGIC, sectionOf } from './record.ts';
import type { Place } from './segments.ts';
import type { StoredRange, StoreFiles } from './store-files.ts';

/**
 * Adds to the index the records that a crash has kept from it, and cuts off what is not a whole record at the end of the
 * log: its block was never acknowledged.
 *
 * @returns what is stored, and how many bytes were cut off. @throws {StoreDamaged}
 */
export async function recover(files: StoreFiles): Promise<StoredRange & { readonly dropped: number }> {
  const { directory, segments, index, log } = files;
  const { indexed } = index;
  const [oldest] = segments.all;
  if (oldest === undefined && indexed === undefined) return { first: 0n, height: 0n, dropped: 0 };
  if (oldest === undefined || (indexed !== undefined && !segments.all.includes(indexed.next.segment))) {
    const missing = `block files are missing: the index goes up to height ${indexed?.height}`;
    throw new StoreDamaged(directory, join(directory, 'blocks'), missing);
  }
  let at: Reached = { height: indexed?.height ?? 0n, next: indexed?.next ?? { segment: oldest, offset: 0 } };
  for (;;) {
    at = await recoverSegment(files, at);
    const { height, next } = at;
    const following = segments.all.find((segment) => segment > next.segment);
    const left = segments.length(next.segment) - next.offset;
    if (left !== 0 && (left < 0 || following !== undefined)) {
      const what = `the block after height ${height}, at byte ${next.offset}, is not what was written`;
      throw new StoreDamaged(directory, segments.path(next.segment), what);
    }
    if (following === undefined) break;
    at = { height, next: { segment: following, offset: 0 } };
  }
  const { height, next } = at;
  const dropped = segments.length(next.segment) - next.offset;
  requireTorn(files, at, dropped);
  if (dropped > 0) segments.truncate(next.offset);
  if (height === 0n) return { first: 0n, height, dropped };
  log.resume(files.placeOf(height));
  // A file whose blocks the index has forgotten is deleted with the next ones.
  return { first: index.first > BigInt(oldest) ? index.first : BigInt(oldest), height, dropped };
}

/** The last block that is in the index, and what follows its record. */
interface Reached {
  readonly height: bigint;
  readonly next: Place;
}

/** Adds the whole records of one file to the index. */
async function recoverSegment(files: StoreFiles, start: Reached): Promise<Reached> {
  let reached = start;
  for (;;) {
    const following = recoverRecord(files, reached);
    if (following === undefined) return reached;
    reached = following;
    if (files.index.isFull) await files.index.flush();
  }
}

function recoverRecord({ segments, log, index }: StoreFiles, { height, next: place }: Reached): Reached | undefined {
  const length = log.lengthAt(place);
  if (length === undefined || place.offset + length > segments.length(place.segment)) return undefined;
  const bytes = readable(() => log.expandedAt(place) ?? segments.readSync(place, length));
  const head = bytes && decodeHead(bytes);
  if (bytes === undefined || head === undefined || (height !== 0n && head.height !== height + 1n)) return undefined;
  if (!isWhole(head, bytes)) return undefined;
  const sections = { block: sectionOf(head, 'block', bytes), results: sectionOf(head, 'results', bytes) };
  index.add(indexEntry(head, { place, bytes: length }, sections, txHashesOf(head, bytes)));
  return { height: head.height, next: { segment: place.segment, offset: place.offset + length } };
}

/** A short record whose base is not whole cannot be read. */
function readable(read: () => Buffer): Buffer | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** What a crash leaves at the end of the log is one unfinished record. Where another follows, it is damage. */
function requireTorn(files: StoreFiles, { height, next: { segment, offset } }: Reached, dropped: number): void {
  if (dropped <= HEAD_BYTES) return;
  const rest = files.segments.readSync({ segment, offset }, dropped);
  for (let at = rest.indexOf(MAGIC, 1); at >= 0; at = rest.indexOf(MAGIC, at + 1)) {
    const head = decodeHead(rest.subarray(at));
    if (head !== undefined && head.height > height + 1n && isWhole(head, rest.subarray(at))) {
      throw files.damaged(height + 1n, 'the record', segment);
    }
  }
}
