/** Interface of the stores of an archive's segments. */

/**
 * All throw `DaUnavailable` if trying again may help, `ArchiveDamaged` for bytes that cannot be a segment, and an `Error`
 * if settings are to be corrected.
 */
export interface ArchiveStore {
  /** For messages. */
  readonly place: string;
  /** Sorted, as they follow each other. */
  names(signal?: AbortSignal): Promise<readonly string[]>;
  /** At most `MAX_SEGMENT_BYTES`. */
  read(name: string, signal?: AbortSignal): Promise<Uint8Array>;
  /**
   * Puts a segment that is not there, which is kept when it resolves. Putting the same again changes nothing.
   *
   * @throws {ArchiveInUse} if another one of this name is there.
   */
  create(name: string, bytes: Uint8Array): Promise<void>;
  /** Undefined if a segment stays unchanged once put: entries are gathered, and put together. */
  readonly growing: GrowingSegments | undefined;
}

/** A kill in the middle of a write leaves the beginning of the data. */
export interface GrowingSegments {
  /** Kept when it resolves. @throws {ArchiveInUse} if the segment has not this length. */
  append(name: string, length: number, bytes: Uint8Array): Promise<void>;
  /** Leaves the first bytes of a segment. */
  cut(name: string, length: number): Promise<void>;
}

/** Another process writes to the archive: it has entries not put there by this one. */
export class ArchiveInUse extends Error {
  override readonly name = 'ArchiveInUse';

  constructor(place: string, name: string) {
    super(`${place}: ${name}: has other contents than were written from here: another process writes to this archive`);
  }
}

/** Number and first height: found without being opened. */
const NAME = /^segment-(\d{8})-(\d{19})$/;

export const segmentName = (number: number, firstHeight: bigint): string =>
  `segment-${String(number).padStart(8, '0')}-${String(firstHeight).padStart(19, '0')}`;

/** @returns undefined for a name that no segment has. */
export function parseSegmentName(name: string): { readonly number: number; readonly firstHeight: bigint } | undefined {
  const [, number, height] = NAME.exec(name) ?? [];
  return number === undefined || height === undefined
    ? undefined
    : { number: Number(number), firstHeight: BigInt(height) };
}
