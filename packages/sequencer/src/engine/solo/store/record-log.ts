import {
  COMPACT_BYTES,
  type CompactBlock,
  compacted,
  decodeCompact,
  encodeCompact,
  expanded,
  isCompact,
  type Link,
  linkOf,
  linkOfCompact,
} from './compact.ts';
import {
  type BlockRecord,
  decodeHead,
  encodeRecord,
  HEAD_BYTES,
  isWhole,
  recordLength,
  type Section,
  sectionOf,
} from './record.ts';
import type { Place, Segments } from './segments.ts';

/** A whole record that short ones of the same file are made from. */
interface Base {
  readonly place: Place;
  readonly record: BlockRecord;
  readonly txCount: number;
}

/** The last record of the log. */
interface Tail {
  readonly place: Place;
  readonly base: Base;
  readonly link: Link;
}

/** The records of the block log, each in the shortest form that gives it back. */
export class RecordLog {
  readonly #segments: Segments;
  #tail: Tail | undefined;
  /** The base that was read last: neighbours mostly have the same. */
  #base: Base | undefined;

  constructor(segments: Segments) {
    this.#segments = segments;
  }

  /** To be called with the place of the last record, when the log was opened. */
  resume(place: Place): void {
    this.#tail = this.#tailAt(place);
  }

  /** @returns the place, the number of bytes there, and the record's whole form. */
  async append(record: BlockRecord, txCount: number) {
    const whole = encodeRecord(record, txCount);
    const short = this.#compacted(record, txCount);
    const pieces = short === undefined ? whole : [encodeCompact(short)];
    const place = await this.#segments.append(pieces, Number(record.height));
    const base = short === undefined ? { place, record, txCount } : this.#tail?.base;
    const link = linkOf(record);
    this.#tail = link === undefined || base === undefined ? undefined : { place, base, link };
    return { place, bytes: pieces.reduce((sum, { length }) => sum + length, 0), whole };
  }

  /** Bytes of the record at a place; `undefined` where none begins. */
  lengthAt(place: Place): number | undefined {
    const start = this.#segments.readSync(place, COMPACT_BYTES);
    if (isCompact(start)) return decodeCompact(start) && COMPACT_BYTES;
    const head = decodeHead(start);
    return head && recordLength(head);
  }

  /** The whole form of a short record; `undefined` where a whole record is. */
  expandedAt(place: Place): Buffer | undefined {
    const start = this.#segments.readSync(place, COMPACT_BYTES);
    if (!isCompact(start)) return undefined;
    const block = decodeCompact(start);
    const base = block && this.#baseOf(block, place);
    if (block === undefined || base === undefined)
      throw new Error(`stored block is damaged: ${where(place)} part=base`);
    const previous = this.#linkAt({ ...place, offset: place.offset - block.previousDistance }, base);
    const record = previous && expanded(block, base.record, previous);
    if (record === undefined) throw new Error(`stored block is damaged: ${where(place)} part=previous`);
    return Buffer.concat(encodeRecord(record, base.txCount));
  }

  /** The whole form of any record. */
  wholeAt(place: Place): Buffer | undefined {
    const length = this.lengthAt(place);
    return length === undefined ? undefined : (this.expandedAt(place) ?? this.#segments.readSync(place, length));
  }

  #compacted(record: BlockRecord, txCount: number): CompactBlock | undefined {
    const tail = this.#tail;
    const next = this.#segments.next(COMPACT_BYTES, Number(record.height));
    // Every file can be read without those before it.
    if (tail === undefined || next?.segment !== tail.place.segment || tail.base.txCount !== txCount) return undefined;
    return compacted(record, tail.base.record, tail.link, {
      baseDistance: next.offset - tail.base.place.offset,
      previousDistance: next.offset - tail.place.offset,
    });
  }

  #tailAt(place: Place): Tail | undefined {
    const start = this.#segments.readSync(place, COMPACT_BYTES);
    const block = isCompact(start) ? decodeCompact(start) : undefined;
    const base = block === undefined ? this.#wholeAt(place) : this.#baseOf(block, place);
    const link = base && (block === undefined ? linkOf(base.record) : linkOfCompact(block, base.record));
    return base && link && { place, base, link };
  }

  #linkAt(place: Place, base: Base): Link | undefined {
    const start = this.#segments.readSync(place, COMPACT_BYTES);
    if (!isCompact(start)) return place.offset === base.place.offset ? linkOf(base.record) : undefined;
    const block = decodeCompact(start);
    return block && linkOfCompact(block, base.record);
  }

  #baseOf(block: CompactBlock, { segment, offset }: Place): Base | undefined {
    const place = { segment, offset: offset - block.baseDistance };
    const known = this.#base?.place;
    if (known?.segment !== segment || known.offset !== place.offset) this.#base = this.#wholeAt(place);
    return this.#base;
  }

  #wholeAt(place: Place): Base | undefined {
    if (place.offset < 0) return undefined;
    const head = decodeHead(this.#segments.readSync(place, HEAD_BYTES));
    const bytes = head && this.#segments.readSync(place, recordLength(head));
    if (head === undefined || bytes === undefined || !isWhole(head, bytes)) return undefined;
    const section = (name: Section) => Uint8Array.from(sectionOf(head, name, bytes));
    const { height, hash, txCount } = head;
    const [signedHeader, state] = [section('signedHeader'), section('state')];
    const record = { height, hash, signedHeader, state, results: section('results'), block: section('block') };
    return { place, record, txCount };
  }
}

function where({ segment, offset }: Place): string {
  return `segment=${segment} offset=${offset}`;
}
