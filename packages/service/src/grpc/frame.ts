import { Code, ConnectError } from '@connectrpc/connect';

/** A gRPC message on the wire: one byte of flags, four bytes of length, big-endian, and the message. */
const PREFIX = 5;

/** Messages up to this are read and answered as they come. */
export const LONG_BYTES = 65_536;

/** @throws {ConnectError} `ResourceExhausted` for a message that is too long. */
export function encodeFrame(message: Uint8Array, maxBytes: number): Uint8Array {
  if (message.length > maxBytes) throw tooLong(message.length, maxBytes);
  const frame = new Uint8Array(PREFIX + message.length);
  new DataView(frame.buffer).setUint32(1, message.length);
  frame.set(message, PREFIX);
  return frame;
}

/** Puts the one message of a unary call together from the pieces in which it arrives. */
export class FrameCollector {
  readonly #maxBytes: number;
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws {ConnectError} `ResourceExhausted` once it is longer than the limit. */
  push(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length > PREFIX + this.#maxBytes) throw tooLong(this.#length - PREFIX, this.#maxBytes);
    this.#pieces.push(piece);
    if (this.stated > this.#maxBytes) throw tooLong(this.stated, this.#maxBytes);
  }

  /** The length that the prefix states; 0 until that has arrived. */
  get stated(): number {
    const [first] = this.#pieces;
    // Its sender may have cut it anywhere, but then the message is known to be too long only at its end.
    if (first === undefined || first.length < PREFIX) return 0;
    return new DataView(first.buffer, first.byteOffset, first.byteLength).getUint32(1);
  }

  /**
   * The message, in memory of its own: parts of it that are kept keep nothing else alive.
   *
   * @returns undefined if there was none.
   * @throws {ConnectError} if there is less or more than one message, or it is compressed.
   */
  finish(): Uint8Array | undefined {
    if (this.#length === 0) return undefined;
    const whole = new Uint8Array(this.#length);
    let at = 0;
    for (const piece of this.#pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    if (whole.length < PREFIX) throw broken('the message is incomplete');
    if (whole[0] !== 0) throw broken('the message is compressed, though no compression was agreed on');
    const stated = new DataView(whole.buffer).getUint32(1);
    if (stated > this.#maxBytes) throw tooLong(stated, this.#maxBytes);
    if (stated !== whole.length - PREFIX) throw broken(`a message of ${stated} bytes has ${whole.length - PREFIX}`);
    return whole.subarray(PREFIX);
  }
}

/** @returns the messages of a call that may have many. @throws {ConnectError} for a message that `FrameCollector` would refuse. */
export async function* iterateFrames(pieces: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let rest = Buffer.alloc(0);
  for await (const piece of pieces) {
    rest = Buffer.concat([rest, piece]);
    while (rest.length >= PREFIX) {
      const end = PREFIX + rest.readUInt32BE(1);
      if (end > PREFIX + maxBytes) throw tooLong(end - PREFIX, maxBytes);
      if (rest.length < end) break;
      const frame = new FrameCollector(maxBytes);
      frame.push(rest.subarray(0, end));
      rest = rest.subarray(end);
      yield frame.finish() ?? rest;
    }
  }
  if (rest.length > 0) throw broken('the message is incomplete');
}

function tooLong(bytes: number, maxBytes: number): ConnectError {
  return new ConnectError(`message of ${bytes} bytes is longer than ${maxBytes} bytes`, Code.ResourceExhausted);
}

function broken(what: string): ConnectError {
  return new ConnectError(`protocol error: ${what}`, Code.InvalidArgument);
}
