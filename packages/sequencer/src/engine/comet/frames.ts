/**
 * How messages stand in the stream of an ABCI connection: each with its length before it, as a protobuf varint.
 */

/** The limit that CometBFT sets for its own messages. */
export const MAX_FRAME_BYTES = 104_857_600;

/** Enough for any length that is allowed. */
const MAX_PREFIX_BYTES = 5;

/** The bytes received are not a message of this protocol; nothing after them can be read. */
export class BadFrame extends Error {
  override readonly name = 'BadFrame';
}

/** Cuts a stream into messages, however it was split under way. */
export class FrameReader {
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #length = 0;
  /** Length of the prefix and of the message behind it, once the prefix is there. */
  #expected: { readonly prefix: number; readonly body: number } | undefined;

  constructor(maxBytes: number = MAX_FRAME_BYTES) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Uint8Array): void {
    // A socket gives a `Buffer`, whose views would be more of them.
    this.#chunks.push(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length));
    this.#length += chunk.length;
  }

  /**
   * The next whole message, as a view of the pushed bytes if possible.
   *
   * @throws {BadFrame} for a length above the limit, before any of the message is kept.
   */
  next(): Uint8Array | undefined {
    this.#expected ??= this.#readPrefix();
    if (this.#expected === undefined) return undefined;
    const { prefix, body } = this.#expected;
    if (this.#length < prefix + body) return undefined;
    const all = this.#joined();
    const rest = all.subarray(prefix + body);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#length = rest.length;
    this.#expected = undefined;
    return all.subarray(prefix, prefix + body);
  }

  #readPrefix(): { readonly prefix: number; readonly body: number } | undefined {
    const [first] = this.#chunks;
    if (first === undefined) return undefined;
    const head = first.length >= MAX_PREFIX_BYTES ? first : this.#joined();
    let body = 0;
    for (let index = 0; index < MAX_PREFIX_BYTES; index++) {
      const byte = head[index];
      if (byte === undefined) return undefined;
      body += (byte & 0x7f) * 2 ** (7 * index);
      if (byte >= 0x80) continue;
      if (body > this.#maxBytes) throw new BadFrame(`message of ${body} bytes, expected at most ${this.#maxBytes}`);
      return { prefix: index + 1, body };
    }
    throw new BadFrame(`length of a message has more than ${MAX_PREFIX_BYTES} bytes`);
  }

  #joined(): Uint8Array {
    const [first] = this.#chunks;
    if (this.#chunks.length === 1 && first !== undefined) return first;
    const all = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    this.#chunks = [all];
    return all;
  }
}

/** The prefix of a message of this length. */
export function framePrefix(length: number): Uint8Array {
  const bytes: number[] = [];
  let rest = length;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
