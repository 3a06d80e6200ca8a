/** Entries into the segments of an archive, one after another. */
import { toHex } from '@switchyard/protocol';
import { loadSegment } from './archive.ts';
import { type ArchiveEntry, encodeEntry, encodePreamble, type Preamble } from './entry.ts';
import { FULL_SEGMENT_BYTES, NO_HASH, sealFrame } from './segment.ts';
import { type ArchiveStore, segmentName } from './store.ts';

export interface ArchiveWriterOptions extends Omit<Preamble, 'previous'> {
  /** The first height, if the archive is empty. */
  readonly from: bigint;
  /** Bound of a segment; one with a single entry may be larger. */
  readonly maxSegmentBytes?: number;
}

export type ArchiveWriter = Awaited<ReturnType<typeof openArchiveWriter>>;

/** The segment that is appended to. */
interface Open {
  readonly name: string;
  readonly number: number;
  readonly length: number;
}

/**
 * Continues behind the last whole entry. One process at a time.
 *
 * @throws {Error} if the archive is of another chain, or of other namespaces. @throws {ArchiveDamaged}
 */
export async function openArchiveWriter(store: ArchiveStore, options: ArchiveWriterOptions, signal?: AbortSignal) {
  const { maxSegmentBytes = FULL_SEGMENT_BYTES, from, ...made } = options;
  const { last, begun } = await getEnd(store, signal);
  if (last !== undefined) checkSame(store, last.preamble, made);
  // The next entry may be in another segment.
  if (last !== undefined && last.length < last.size) await store.growing?.cut(last.name, last.length);
  if (begun !== undefined) await store.growing?.cut(begun, 0);
  let number = last?.number ?? 0;
  let open: Open | undefined = store.growing === undefined || begun !== undefined ? undefined : last;
  let hash = last?.hash ?? NO_HASH;
  let next = last === undefined ? from : last.firstHeight + BigInt(last.entries.length);
  let kept = next - 1n;
  /** All bytes of the open segment. */
  let gathered: Uint8Array[] = [];

  /** Puts the gathered entries. After an error, it may be called again. */
  async function flush(): Promise<void> {
    if (open === undefined || gathered.length === 0) return;
    await store.create(open.name, Buffer.concat(gathered));
    [gathered, open, kept] = [[], undefined, next - 1n];
  }

  async function begin(contents: Uint8Array): Promise<void> {
    await flush();
    const preamble = sealFrame(NO_HASH, encodePreamble({ ...made, previous: number === 0 ? '' : toHex(hash) }));
    const first = sealFrame(preamble.hash, contents);
    const name = segmentName(number + 1, next);
    const bytes = Buffer.concat([preamble.bytes, first.bytes]);
    if (store.growing === undefined) gathered = [bytes];
    else if (name === begun) await store.growing.append(name, 0, bytes);
    else await store.create(name, bytes);
    number += 1;
    open = { name, number, length: bytes.length };
    hash = first.hash;
  }

  return {
    /** The height that is appended next. */
    get next() {
      return next;
    },
    /** The last height that is kept; the one before the first if none is. */
    get kept() {
      return kept;
    },
    flush,
    /** Kept when it resolves, if segments grow. Else it is gathered, and the entries gathered before are put when the segment is full. */
    async append(entry: ArchiveEntry): Promise<void> {
      if (entry.height !== next) throw new Error(`height ${entry.height} is appended, expected ${next}`);
      const contents = encodeEntry(entry);
      const sealed = sealFrame(hash, contents);
      if (open === undefined || open.length + sealed.bytes.length > maxSegmentBytes) {
        await begin(contents);
      } else {
        if (store.growing === undefined) gathered.push(sealed.bytes);
        else await store.growing.append(open.name, open.length, sealed.bytes);
        open = { ...open, length: open.length + sealed.bytes.length };
        hash = sealed.hash;
      }
      next += 1n;
      if (store.growing !== undefined) kept = next - 1n;
    },
  };
}

/** The last segment with an entry, and the name of one behind it that was begun and not written to its end. */
async function getEnd(store: ArchiveStore, signal: AbortSignal | undefined) {
  let begun: string | undefined;
  for (const name of [...(await store.names(signal))].reverse()) {
    const last = await loadSegment(store, name, signal);
    if (last !== undefined) return { last, begun };
    begun = name;
  }
  return { last: undefined, begun };
}

function checkSame(store: ArchiveStore, found: Preamble, given: Omit<Preamble, 'previous'>): void {
  const text = ({ chainId, namespaces }: Omit<Preamble, 'previous'>) =>
    `${chainId} ${[...namespaces].sort().join(' ')}`;
  if (text(found) === text(given)) return;
  throw new Error(
    `${store.place}: is an archive of chain ${found.chainId} with ${found.namespaces.length} namespaces, and another chain or other namespaces are requested: give another place`,
  );
}
