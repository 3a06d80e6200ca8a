/** The segments of an archive as one sequence of heights. */
import { toHex } from '@switchyard/protocol';
import type { Namespace } from '@switchyard/protocol/celestia';
import { type ArchiveEntry, decodeEntry, decodePreamble, encodeEntry, encodePreamble, type Preamble } from './entry.ts';
import { ArchiveDamaged, type Frame, NO_HASH, readSegment, sealFrame } from './segment.ts';
import { type ArchiveStore, parseSegmentName, segmentName } from './store.ts';

/** A segment whose chain of hashes is right in itself. */
export interface LoadedSegment {
  readonly name: string;
  readonly number: number;
  readonly firstHeight: bigint;
  readonly preamble: Preamble;
  /** Of the heights from the first one on. */
  readonly entries: readonly Frame[];
  /** Of its last frame. */
  readonly hash: Uint8Array;
  /** Bytes that are whole, and all there are. */
  readonly length: number;
  readonly size: number;
}

/** Reading walks back over headers and forward over blobs. */
const KEPT_SEGMENTS = 2;

/** @returns undefined for one of which not even the preamble was written to its end. @throws {ArchiveDamaged} */
export async function loadSegment(store: ArchiveStore, name: string): Promise<LoadedSegment | undefined> {
  const parsed = parseSegmentName(name);
  if (parsed === undefined) throw new ArchiveDamaged(`${store.place}: ${name} is no segment`);
  const place = `${store.place}: ${name}`;
  const bytes = await store.read(name);
  const { frames, length } = readSegment(place, bytes);
  const [preamble, ...entries] = frames;
  if (preamble === undefined) return undefined;
  return {
    ...{ name, ...parsed, entries, length, size: bytes.length },
    preamble: decodePreamble(preamble.contents, `${place}: byte 0`),
    hash: frames.at(-1)?.hash ?? NO_HASH,
  };
}

/** What is there now; more may be appended meanwhile. */
export class Archive {
  readonly #store: ArchiveStore;
  readonly #loaded = new Map<string, LoadedSegment>();
  #names: readonly string[] = [];

  constructor(store: ArchiveStore) {
    this.#store = store;
  }

  /** @throws {Error} where nothing is there. @throws {ArchiveDamaged} */
  async last(): Promise<{
    readonly chainId: string;
    readonly height: bigint;
    readonly namespaces: readonly Namespace[];
  }> {
    this.#names = await this.#store.names();
    for (const name of this.#names.slice(-2).reverse()) {
      // It may have grown.
      this.#loaded.delete(name);
      const segment = await this.#segment(name);
      if (segment === undefined || segment.entries.length === 0) continue;
      const { preamble, firstHeight, entries } = segment;
      return { ...preamble, height: firstHeight + BigInt(entries.length) - 1n };
    }
    throw new Error(`${this.#store.place}: holds no archive, or an empty one`);
  }

  /** @returns undefined for a height that is not in it. @throws {ArchiveDamaged} */
  async entry(height: bigint): Promise<ArchiveEntry | undefined> {
    if (this.#names.length === 0) this.#names = await this.#store.names();
    const name = this.#names.findLast((each) => (parseSegmentName(each)?.firstHeight ?? height + 1n) <= height);
    const segment = name === undefined ? undefined : await this.#segment(name);
    const frame = segment?.entries[Number(height - segment.firstHeight)];
    if (segment === undefined || frame === undefined) return undefined;
    return entryOf(this.#store, segment, frame, height);
  }

  async #segment(name: string): Promise<LoadedSegment | undefined> {
    const known = this.#loaded.get(name);
    if (known !== undefined) return known;
    const segment = await loadSegment(this.#store, name);
    if (segment === undefined) return undefined;
    for (const old of [...this.#loaded.keys()].slice(0, Math.max(0, this.#loaded.size - KEPT_SEGMENTS + 1)))
      this.#loaded.delete(old);
    this.#loaded.set(name, segment);
    return segment;
  }
}

/** @throws {ArchiveDamaged} */
export function entryOf(
  { place }: Pick<ArchiveStore, 'place'>,
  { name }: Pick<LoadedSegment, 'name'>,
  { contents, offset }: Frame,
  height: bigint,
): ArchiveEntry {
  const at = `${place}: ${name}: byte ${offset}`;
  const entry = decodeEntry(contents, at);
  if (entry.height !== height) throw new ArchiveDamaged(`${at}: has height ${entry.height}, expected ${height}`);
  return entry;
}

export interface ArchiveWriterOptions extends Omit<Preamble, 'previous'> {
  /** The first height, where the archive is empty. */
  readonly from: bigint;
  /** Of a segment; one with a single entry may be larger. */
  readonly maxSegmentBytes?: number;
}

export interface ArchiveWriter {
  /** The height that is appended next. */
  readonly next: bigint;
  /** On disk when it resolves. */
  append(entry: ArchiveEntry): Promise<void>;
}

const MAX_SEGMENT_BYTES = 16 * 1_048_576;

/**
 * Continues behind the last whole entry. One process at a time.
 *
 * @throws {Error} where the archive is of another chain, or of other namespaces. @throws {ArchiveDamaged}
 */
export async function openArchiveWriter(store: ArchiveStore, options: ArchiveWriterOptions): Promise<ArchiveWriter> {
  const { maxSegmentBytes = MAX_SEGMENT_BYTES, from, ...made } = options;
  const names = [...(await store.names())];
  let last: LoadedSegment | undefined;
  let isBegun = false;
  for (let name = names.pop(); name !== undefined && last === undefined; name = names.pop()) {
    last = await loadSegment(store, name);
    isBegun ||= last === undefined;
  }
  // The next entry may be in another segment.
  if (last !== undefined && last.length < last.size) await store.write(last.name, last.length, new Uint8Array(0));
  if (last !== undefined) checkSame(store, last.preamble, made);
  let segment = last && { name: last.name, number: last.number, length: last.length };
  let hash = last?.hash ?? NO_HASH;
  let next = last === undefined ? from : last.firstHeight + BigInt(last.entries.length);
  return {
    get next() {
      return next;
    },
    async append(entry) {
      if (entry.height !== next) throw new Error(`height ${entry.height} is appended, expected ${next}`);
      const contents = encodeEntry(entry);
      const sealed = sealFrame(hash, contents);
      // One that was begun and not written to its end is begun again, under the same name.
      if (segment !== undefined && !isBegun && segment.length + sealed.bytes.length <= maxSegmentBytes) {
        await store.write(segment.name, segment.length, sealed.bytes);
        segment = { ...segment, length: segment.length + sealed.bytes.length };
        hash = sealed.hash;
      } else {
        const number = (segment?.number ?? 0) + 1;
        const previous = segment === undefined ? '' : toHex(hash);
        const preamble = sealFrame(NO_HASH, encodePreamble({ ...made, previous }));
        const first = sealFrame(preamble.hash, contents);
        const name = segmentName(number, next);
        await store.write(name, 0, Buffer.concat([preamble.bytes, first.bytes]));
        segment = { name, number, length: preamble.bytes.length + first.bytes.length };
        hash = first.hash;
        isBegun = false;
      }
      next += 1n;
    },
  };
}

function checkSame(store: ArchiveStore, found: Preamble, given: Omit<Preamble, 'previous'>): void {
  const text = ({ chainId, namespaces }: Omit<Preamble, 'previous'>) =>
    `${chainId} ${[...namespaces].sort().join(' ')}`;
  if (text(found) === text(given)) return;
  throw new Error(
    `${store.place}: is an archive of chain ${found.chainId} with ${found.namespaces.length} namespaces, and another chain or other namespaces are asked for: give another directory`,
  );
}
