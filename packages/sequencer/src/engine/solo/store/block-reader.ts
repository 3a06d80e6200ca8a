import type { TxPlace } from './block-index.ts';
import {
  decodeHead,
  type Head,
  isIntact,
  isWhole,
  recordLength,
  type Section,
  sectionOf,
  sectionOffset,
} from './record.ts';
import type { Place } from './segments.ts';
import type { StoredRange, StoreFiles } from './store-files.ts';

/** Read first: holds the head, the signed header and the state of nearly every record. */
const FIRST_READ = 2_048;

/** A record's head, and the bytes of the record that were read with it. */
interface Found {
  readonly head: Head;
  readonly place: Place;
  readonly start: Buffer;
}

/** Reads records by height and checks each part by its checksum. Heights outside of the range are not stored. */
export class BlockReader {
  readonly #files: StoreFiles;
  readonly #range: StoredRange;

  constructor(files: StoreFiles, range: StoredRange) {
    this.#files = files;
    this.#range = range;
  }

  head(height: bigint): Found | undefined {
    const { first, height: last } = this.#range;
    if (height < first || height > last || last === 0n) return undefined;
    const place = this.#files.placeOf(height);
    // Where the record is a short one, `start` is all of it.
    const start = this.#files.expandedAt(place, height) ?? this.#files.segments.readSync(place, FIRST_READ);
    const head = decodeHead(start);
    if (head === undefined || head.height !== height) throw this.#files.damaged(height, 'head');
    return { head, place, start };
  }

  /** A section that is read at once, with the head. */
  small(height: bigint, section: Section): { readonly head: Head; readonly bytes: Uint8Array } | undefined {
    const found = this.head(height);
    if (found === undefined) return undefined;
    const { head, place } = found;
    const bytes =
      inStart(found, section) ??
      this.#files.segments.readSync(sectionPlace(head, place, section), head.lengths[section]);
    // A copy: a part of what was read would keep all of it.
    return { head, bytes: Uint8Array.from(this.#intact(head, section, bytes)) };
  }

  async large(height: bigint, section: Section): Promise<Uint8Array | undefined> {
    const found = this.head(height);
    if (found === undefined) return undefined;
    const { head, place } = found;
    const read =
      inStart(found, section) ??
      (await this.#files.segments.read(sectionPlace(head, place, section), head.lengths[section]));
    const bytes = this.#intact(head, section, read);
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Reads only the transaction and its result, however large the block is. */
  async tx({ height, tx, result }: TxPlace): Promise<readonly [tx: Buffer, result: Buffer]> {
    const place = this.#files.placeOf(height);
    const expanded = this.#files.log.expandedAt(place);
    const read = ({ offset, length }: TxPlace['tx']) =>
      expanded?.subarray(offset, offset + length) ??
      this.#files.segments.read({ segment: place.segment, offset: place.offset + offset }, length);
    const found = await Promise.all([read(tx), read(result)]);
    if (found[0].length !== tx.length || found[1].length !== result.length) {
      throw this.#files.damaged(height, 'transaction');
    }
    return found;
  }

  /** Reads all stored blocks and checks every part of them. @throws {StoreDamaged} */
  verifyAll(): void {
    for (let height = this.#range.first; ; height += 1n) {
      const found = this.head(height);
      if (found === undefined) return;
      const { head, place, start } = found;
      const length = recordLength(head);
      const whole = start.length >= length ? start : this.#files.segments.readSync(place, length);
      if (!isWhole(head, whole)) throw this.#files.damaged(height, 'a section', place.segment);
    }
  }

  #intact(head: Head, section: Section, bytes: Buffer): Buffer {
    if (!isIntact(head, section, bytes)) throw this.#files.damaged(head.height, section);
    return bytes;
  }
}

/** A section that lies wholly in what was read with the head. */
function inStart({ head, start }: Found, section: Section): Buffer | undefined {
  const bytes = sectionOf(head, section, start);
  return bytes.length === head.lengths[section] ? bytes : undefined;
}

function sectionPlace(head: Head, { segment, offset }: Place, section: Section): Place {
  return { segment, offset: offset + sectionOffset(head, section) };
}
