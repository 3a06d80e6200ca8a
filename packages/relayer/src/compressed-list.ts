/** Lists of one namespace as one brotli stream. Each byte is compressed once, regardless of the number of size queries. */
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { type BrotliCompress, type BrotliOptions, brotliCompress, constants, createBrotliCompress } from 'node:zlib';
import { encodePadding, leastPostedBytes } from '@switchyard/protocol';
import { outside } from '@switchyard/service';

const compressAtOnce = promisify(brotliCompress);
/** The reference's, too. */
const QUALITY = 5;
const OUTPUT_CHUNK = 65_536;
/** A stream takes about a megabyte of memory, so it is opened only for more than this. */
const WORTH_A_STREAM = 4_096;
/** Overhead for the end of a stream, and for content that cannot be compressed and is only framed. */
const OVERHEAD = 16;

/** No more than this many bytes come out, for any input. */
export const compressedBound = (bytes: number): number => bytes + (bytes >>> 10) + OVERHEAD;

/** Upper bound for a list that compresses so well that it is padded. */
function paddedBound(bytes: number): number {
  const least = leastPostedBytes(bytes);
  return least === 0 ? 0 : Math.ceil(1.03 * least) + 128;
}

/** Compresses a list alone, padded if that is needed. */
export async function compressed(bytes: Uint8Array): Promise<Uint8Array> {
  const list = new CompressedList();
  list.push(bytes);
  return list.finish();
}

const options = (size?: number): BrotliOptions => ({
  chunkSize: OUTPUT_CHUNK,
  params: {
    [constants.BROTLI_PARAM_QUALITY]: QUALITY,
    ...(size !== undefined && { [constants.BROTLI_PARAM_SIZE_HINT]: size }),
  },
});

export class CompressedList {
  /** Total size of everything that was pushed. */
  #bytes = 0;
  /** In none of the stream yet. */
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #stream: BrotliCompress | undefined;
  #error: Error | undefined;
  readonly #output: Uint8Array[] = [];
  #outputBytes = 0;

  push(part: Uint8Array): void {
    this.#waiting.push(part);
    this.#waitingBytes += part.length;
    this.#bytes += part.length;
  }

  /** Before it is compressed. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes that the whole has at most. {@link measure} makes it a closer bound. */
  get bound(): number {
    return Math.max(this.#outputBytes + compressedBound(this.#waitingBytes), paddedBound(this.#bytes));
  }

  /** Compresses all pushed bytes. */
  async measure(): Promise<void> {
    if (this.#waitingBytes < WORTH_A_STREAM) return;
    this.#stream ??= this.#open();
    await this.#write(this.#stream);
  }

  /** The whole; nothing may be pushed after that. */
  async finish(): Promise<Uint8Array> {
    if (leastPostedBytes(this.#bytes) > 0) await this.#pad();
    const stream = this.#stream;
    if (stream === undefined) {
      return outside(compressAtOnce(joined(this.#waiting, this.#waitingBytes), options(this.#waitingBytes)));
    }
    await this.#write(stream);
    await outside(
      new Promise<void>((resolve, reject) => {
        stream.once('end', resolve).once('error', reject).end();
      }),
    );
    return joined(this.#output, this.#outputBytes);
  }

  /** Readers take too small a stream for a bomb. */
  async #pad(): Promise<void> {
    await this.measure();
    const missing = leastPostedBytes(this.#bytes) - this.#outputBytes;
    // A little more, since the padding makes the list longer.
    if (missing > 0) this.push(encodePadding(randomBytes(Math.ceil(1.02 * missing) + 16)));
  }

  async #write(stream: BrotliCompress): Promise<void> {
    const parts = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (const part of parts) stream.write(part);
    await outside(new Promise<void>((resolve) => stream.flush(constants.BROTLI_OPERATION_FLUSH, resolve)));
    if (this.#error !== undefined) throw this.#error;
  }

  #open(): BrotliCompress {
    const stream = createBrotliCompress(options());
    stream.on('data', (chunk: Uint8Array) => {
      this.#output.push(chunk);
      this.#outputBytes += chunk.length;
    });
    stream.on('error', (error) => {
      this.#error = error;
    });
    return stream;
  }
}

function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
