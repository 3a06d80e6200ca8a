/** The segments of an archive as one sequence of heights. */
import type { Namespace } from '@switchyard/protocol/celestia';
import { type ArchiveEntry, decodeEntry, decodePreamble, type Preamble } from './entry.ts';
import { ArchiveDamaged, type Frame, NO_HASH, readSegment } from './segment.ts';
import { type ArchiveStore, parseSegmentName } from './store.ts';

/** A segment whose chain of hashes is right in itself. */
export interface LoadedSegment {
  readonly name: string;
  readonly number: number;
  readonly firstHeight: bigint;
  readonly preamble: Preamble;
  /** Frames of the heights, from the first one on. */
  readonly entries: readonly Frame[];
  /** Hash of the last frame. */
  readonly hash: Uint8Array;
  /** Bytes that are whole, and all there are. */
  readonly length: number;
  readonly size: number;
}

/** Reading walks back over headers and forward over blobs. */
const KEPT_SEGMENTS = 2;

/** @returns undefined for one of which not even the preamble was written to its end. @throws {ArchiveDamaged} */
export async function loadSegment(store: ArchiveStore, name: string, signal?: AbortSignal) {
  const parsed = parseSegmentName(name);
  if (parsed === undefined) throw new ArchiveDamaged(`${store.place}: ${name} is no segment`);
  const place = `${store.place}: ${name}`;
  const bytes = await store.read(name, signal);
  const { frames, length } = readSegment(place, bytes);
  if (store.growing === undefined && (length < bytes.length || frames.length < 2))
    throw new ArchiveDamaged(`${place}: byte ${length}: its end is not whole`);
  const [preamble, ...entries] = frames;
  if (preamble === undefined) return undefined;
  return {
    ...{ name, ...parsed, entries, length, size: bytes.length },
    preamble: decodePreamble(preamble.contents, `${place}: byte 0`),
    hash: frames.at(-1)?.hash ?? NO_HASH,
  };
}

/** Reads the present archive; more may be appended in the meantime. */
export class Archive {
  readonly #store: ArchiveStore;
  readonly #loaded = new Map<string, LoadedSegment>();
  #names: readonly string[] = [];

  constructor(store: ArchiveStore) {
    this.#store = store;
  }

  /** @throws {Error} if nothing is there. @throws {ArchiveDamaged} */
  async last(signal?: AbortSignal): Promise<{
    readonly chainId: string;
    readonly height: bigint;
    readonly namespaces: readonly Namespace[];
  }> {
    this.#names = await this.#store.names(signal);
    for (const name of this.#names.slice(-2).reverse()) {
      if (this.#store.growing !== undefined) this.#loaded.delete(name);
      const segment = await this.#segment(name, signal);
      if (segment === undefined || segment.entries.length === 0) continue;
      const { preamble, firstHeight, entries } = segment;
      return { ...preamble, height: firstHeight + BigInt(entries.length) - 1n };
    }
    throw new Error(`${this.#store.place}: holds no archive, or an empty one`);
  }

  /** @returns undefined for a height that is not in it. @throws {ArchiveDamaged} */
  async entry(height: bigint, signal?: AbortSignal): Promise<ArchiveEntry | undefined> {
    if (this.#names.length === 0) this.#names = await this.#store.names(signal);
    const name = this.#names.findLast((each) => (parseSegmentName(each)?.firstHeight ?? height + 1n) <= height);
    const segment = name === undefined ? undefined : await this.#segment(name, signal);
    const frame = segment?.entries[Number(height - segment.firstHeight)];
    if (segment === undefined || frame === undefined) return undefined;
    return getEntry(this.#store, segment, frame, height);
  }

  async #segment(name: string, signal: AbortSignal | undefined): Promise<LoadedSegment | undefined> {
    const known = this.#loaded.get(name);
    if (known !== undefined) return known;
    const segment = await loadSegment(this.#store, name, signal);
    if (segment === undefined) return undefined;
    for (const old of [...this.#loaded.keys()].slice(0, Math.max(0, this.#loaded.size - KEPT_SEGMENTS + 1)))
      this.#loaded.delete(old);
    this.#loaded.set(name, segment);
    return segment;
  }
}

/** @throws {ArchiveDamaged} */
export function getEntry(
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
