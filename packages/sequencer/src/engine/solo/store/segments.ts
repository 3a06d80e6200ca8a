import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  read as readCallback,
  readdirSync,
  readSync,
  unlinkSync,
  writev as writevCallback,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const read = promisify(readCallback);
const writev = promisify(writevCallback);

/** A file is started anew when it would grow beyond this: small enough to copy, few enough to keep all open. */
const SEGMENT_BYTES = 512 * 1024 * 1024;
/**
 * The extension determines which records a file may hold. `blocks` is from before the short form (compact.ts): such a file is read
 * but not added to, and a version that does not know the short form does not take the others for damaged ones.
 */
const NAME = /^(\d{16})\.(blocks|segment)$/;
/** Of any number of files, these many are open. */
const MAX_OPEN = 64;

export interface SegmentLimits {
  readonly segmentBytes?: number | undefined;
  /** Heights in one file, so that old ones can be deleted soon. */
  readonly segmentHeights?: number | undefined;
}

/** A place in the log: a file, identified by the first height in it, and an offset. */
export interface Place {
  readonly segment: number;
  readonly offset: number;
}

interface Segment {
  readonly first: number;
  readonly path: string;
  fd: number | undefined;
  /** Reads that are under way. */
  reading: number;
}

/** An append-only log of byte strings in numbered files. What it has written is on disk when `append` resolves. */
export class Segments {
  readonly #directory: string;
  readonly #segmentBytes: number;
  readonly #segmentHeights: number;
  readonly #segments: Segment[];
  /** The longest unused first. */
  readonly #opened = new Set<Segment>();
  /** Length of the last file; everything before that is taken. */
  #end: number;
  readonly #reading = new Set<Promise<unknown>>();

  constructor(directory: string, { segmentBytes = SEGMENT_BYTES, segmentHeights = Infinity }: SegmentLimits = {}) {
    this.#directory = directory;
    this.#segmentBytes = segmentBytes;
    this.#segmentHeights = segmentHeights;
    this.#segments = readdirSync(directory)
      .filter((name) => NAME.test(name))
      .sort()
      .map((name) => ({ first: Number.parseInt(name, 10), path: join(directory, name), fd: undefined, reading: 0 }));
    const last = this.#segments.at(-1);
    this.#end = last === undefined ? 0 : fstatSync(this.#open(last)).size;
  }

  /** First heights of the files, in order. */
  get all(): readonly number[] {
    return this.#segments.map(({ first }) => first);
  }

  /** Where a file is. */
  path(segment: number): string {
    return this.#segments.find(({ first }) => first === segment)?.path ?? this.#directory;
  }

  /** Number of bytes in a file. */
  length(segment: number): number {
    const last = this.#segments.at(-1);
    return last?.first === segment ? this.#end : fstatSync(this.#descriptor(segment)).size;
  }

  /** Where the next record of this length will be; `undefined` when it starts a file. */
  next(length: number, height: number): Place | undefined {
    const last = this.#segments.at(-1);
    if (last === undefined || last.path.endsWith('.blocks')) return undefined;
    if (this.#end > 0 && this.#end + length > this.#segmentBytes) return undefined;
    if (height - last.first >= this.#segmentHeights) return undefined;
    return { segment: last.first, offset: this.#end };
  }

  /**
   * Writes `pieces` one after another at the end.
   *
   * @param height Names the file, if a new one is started.
   */
  async append(pieces: readonly Uint8Array[], height: number): Promise<Place> {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    let last = this.#segments.at(-1);
    if (last === undefined || this.next(length, height) === undefined) last = this.#start(height);
    const offset = this.#end;
    await this.#write(this.#open(last), pieces, offset);
    this.#end = offset + length;
    return { segment: last.first, offset };
  }

  /** Up to `length` bytes: fewer where the file ends before. */
  readSync({ segment, offset }: Place, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    const got = readSync(this.#descriptor(segment), bytes, 0, length, offset);
    return bytes.subarray(0, got);
  }

  /** Like `readSync`, without keeping others waiting: for what may be large. */
  read(place: Place, length: number): Promise<Buffer> {
    const reading = this.#read(place, length);
    this.#reading.add(reading);
    return reading.finally(() => this.#reading.delete(reading));
  }

  async #read({ segment: first, offset }: Place, length: number): Promise<Buffer> {
    const segment = this.#segment(first);
    const bytes = Buffer.allocUnsafe(length);
    let got = 0;
    segment.reading += 1;
    try {
      while (got < length) {
        const { bytesRead } = await read(this.#open(segment), bytes, got, length - got, offset + got);
        if (bytesRead === 0) break;
        got += bytesRead;
      }
    } finally {
      segment.reading -= 1;
    }
    return bytes.subarray(0, got);
  }

  /** Deletes the oldest file, which must not be the last one. */
  async deleteOldest(): Promise<void> {
    if (this.#segments.length < 2) throw new Error(`the last block file is not deleted: directory=${this.#directory}`);
    const oldest = this.#segments.shift();
    if (oldest === undefined) return;
    await Promise.allSettled(this.#reading);
    this.#close(oldest);
    unlinkSync(oldest.path);
  }

  /** Cuts off everything from `offset` on of the last file. */
  truncate(offset: number): void {
    const last = this.#segments.at(-1);
    if (last === undefined) return;
    const fd = this.#open(last);
    ftruncateSync(fd, offset);
    fsyncSync(fd);
    this.#end = offset;
  }

  /** Waits for what is being read: the number of a closed file is soon that of another. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#reading);
    for (const segment of this.#segments) this.#close(segment);
  }

  #close(segment: Segment): void {
    if (segment.fd !== undefined) closeSync(segment.fd);
    segment.fd = undefined;
    this.#opened.delete(segment);
  }

  async #write(fd: number, pieces: readonly Uint8Array[], start: number): Promise<void> {
    let left = pieces.filter((piece) => piece.length > 0);
    let position = start;
    while (left.length > 0) {
      const { bytesWritten } = await writev(fd, left, position);
      position += bytesWritten;
      left = skip(left, bytesWritten);
    }
  }

  #start(height: number): Segment {
    const path = join(this.#directory, `${String(height).padStart(16, '0')}.segment`);
    const segment: Segment = { first: height, path, fd: undefined, reading: 0 };
    this.#segments.push(segment);
    this.#open(segment);
    // The file's name is in the directory, which has to reach the disk too.
    const directory = openSync(this.#directory, constants.O_RDONLY);
    fsyncSync(directory);
    closeSync(directory);
    this.#end = 0;
    return segment;
  }

  #open(segment: Segment): number {
    // Synchronized writes: one system call brings a block to the disk.
    segment.fd ??= openSync(segment.path, constants.O_RDWR | constants.O_CREAT | constants.O_DSYNC, 0o600);
    this.#opened.delete(segment);
    this.#opened.add(segment);
    for (const unused of this.#opened) {
      if (this.#opened.size <= MAX_OPEN) break;
      if (unused.reading === 0 && unused !== this.#segments.at(-1) && unused !== segment) this.#close(unused);
    }
    return segment.fd;
  }

  #segment(first: number): Segment {
    const segment = this.#segments.find((each) => each.first === first);
    if (segment === undefined) throw new Error(`block file missing: directory=${this.#directory} first=${first}`);
    return segment;
  }

  #descriptor(first: number): number {
    return this.#open(this.#segment(first));
  }
}

/** What is left of `pieces` after their first `count` bytes. */
function skip(pieces: readonly Uint8Array[], count: number): Uint8Array[] {
  const left: Uint8Array[] = [];
  let passed = count;
  for (const piece of pieces) {
    if (passed >= piece.length) passed -= piece.length;
    else {
      left.push(passed === 0 ? piece : piece.subarray(passed));
      passed = 0;
    }
  }
  return left;
}
