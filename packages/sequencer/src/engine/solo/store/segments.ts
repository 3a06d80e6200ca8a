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
  writev as writevCallback,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const read = promisify(readCallback);
const writev = promisify(writevCallback);

/** A file is started anew when it would grow beyond this: small enough to copy, few enough to keep all open. */
const SEGMENT_BYTES = 512 * 1024 * 1024;
const NAME = /^(\d{16})\.blocks$/;

/** A place in the log: a file, named by the first height in it, and an offset. */
export interface Place {
  readonly segment: number;
  readonly offset: number;
}

interface Segment {
  readonly first: number;
  readonly path: string;
  fd: number | undefined;
}

/** An append-only log of byte strings in numbered files. What it has written is on disk when `append` resolves. */
export class Segments {
  readonly #directory: string;
  readonly #segmentBytes: number;
  readonly #segments: Segment[];
  /** Length of the last file; everything before that is taken. */
  #end: number;
  readonly #reading = new Set<Promise<unknown>>();

  constructor(directory: string, segmentBytes = SEGMENT_BYTES) {
    this.#directory = directory;
    this.#segmentBytes = segmentBytes;
    this.#segments = readdirSync(directory)
      .map((name) => NAME.exec(name)?.[1])
      .filter((digits) => digits !== undefined)
      .sort()
      .map((digits) => ({ first: Number(digits), path: join(directory, `${digits}.blocks`), fd: undefined }));
    const last = this.#segments.at(-1);
    this.#end = last === undefined ? 0 : fstatSync(this.#open(last)).size;
  }

  /** First heights of the files, in order. */
  get all(): readonly number[] {
    return this.#segments.map(({ first }) => first);
  }

  /** Where a file is. */
  path(segment: number): string {
    return join(this.#directory, nameOf(segment));
  }

  /** Number of bytes in a file. */
  length(segment: number): number {
    const last = this.#segments.at(-1);
    return last?.first === segment ? this.#end : fstatSync(this.#descriptor(segment)).size;
  }

  /**
   * Writes `pieces` one after another at the end.
   *
   * @param height Names the file, if a new one is started.
   */
  async append(pieces: readonly Uint8Array[], height: number): Promise<Place> {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    let last = this.#segments.at(-1);
    if (last === undefined || (this.#end > 0 && this.#end + length > this.#segmentBytes)) last = this.#start(height);
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

  async #read({ segment, offset }: Place, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length);
    let got = 0;
    while (got < length) {
      const { bytesRead } = await read(this.#descriptor(segment), bytes, got, length - got, offset + got);
      if (bytesRead === 0) break;
      got += bytesRead;
    }
    return bytes.subarray(0, got);
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
    for (const segment of this.#segments) {
      if (segment.fd !== undefined) closeSync(segment.fd);
      segment.fd = undefined;
    }
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
    const path = this.path(height);
    const segment: Segment = { first: height, path, fd: undefined };
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
    return segment.fd;
  }

  #descriptor(first: number): number {
    const segment = this.#segments.find((each) => each.first === first);
    if (segment === undefined) throw new Error(`block file missing: directory=${this.#directory} first=${first}`);
    return this.#open(segment);
  }
}

const nameOf = (first: number): string => `${String(first).padStart(16, '0')}.blocks`;

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
