/**
 * The protobuf encoding by hand, for messages decoded by the thousand in each block. Everything else goes through
 * generated code (`message.ts`). Field numbers are those of `proto/`; tests hold the two against each other.
 */
import { Rejected } from '../errors.ts';

export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
export const FIXED32 = 5;
const GROUP = 3;
const END_GROUP = 4;

const MAX_GROUP_DEPTH = 32;
// A signed text keeps a byte order mark, and invalid UTF-8 is refused.
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads one message. Byte strings are views of the input, so keeping one keeps all of it: copy parts that outlive it. */
export class Reader {
  readonly #bytes: Uint8Array;
  readonly #what: string;
  readonly #start: number;
  readonly #end: number;
  #isStrict = false;
  #position: number;
  #low = 0;
  #high = 0;
  /** Number and wire type of the field that {@link next} found. */
  field = 0;
  type = 0;

  constructor(bytes: Uint8Array, what: string, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#what = what;
    this.#start = start;
    this.#position = start;
    this.#end = end;
  }

  /** A reader that refuses numbers that are longer than they need to be, or that their field cannot hold. */
  static strict(bytes: Uint8Array, what: string): Reader {
    const reader = new Reader(bytes, what);
    reader.#isStrict = true;
    return reader;
  }

  /** The message from its first byte, however much of it has been read. */
  whole(): Uint8Array {
    return this.#bytes.subarray(this.#start, this.#end);
  }

  /** Moves to the next field; false at the end. */
  next(): boolean {
    if (this.#position >= this.#end) return false;
    this.#varint();
    if (this.#high !== 0) throw this.#malformed('field number');
    this.field = this.#low >>> 3;
    this.type = this.#low & 7;
    if (this.field === 0) throw this.#malformed('field number');
    return true;
  }

  /** The low 32 bits, as protobuf asks for a wider number in a 32-bit field. */
  uint32(): number {
    this.#expect(VARINT);
    this.#varint();
    if (this.#isStrict && this.#high !== 0) throw this.#malformed('number over 32 bits');
    return this.#low;
  }

  /** Adds to `values` those of a repeated field: several packed into one, or one on its own. */
  uint32s(values: number[]): void {
    if (this.type !== BYTES) {
      values.push(this.uint32());
      return;
    }
    const start = this.#span();
    const packed = new Reader(this.#bytes, this.#what, start, this.#position);
    while (packed.#position < packed.#end) {
      packed.#varint();
      values.push(packed.#low);
    }
  }

  uint64(): bigint {
    this.#expect(VARINT);
    this.#varint();
    return this.#high === 0 ? BigInt(this.#low) : (BigInt(this.#high) << 32n) | BigInt(this.#low);
  }

  int32(): number {
    return this.uint32() | 0;
  }

  int64(): bigint {
    return BigInt.asIntN(64, this.uint64());
  }

  bool(): boolean {
    this.#expect(VARINT);
    this.#varint();
    if (this.#isStrict && (this.#low > 1 || this.#high !== 0)) throw this.#malformed('number over 1');
    return this.#low !== 0 || this.#high !== 0;
  }

  bytes(): Uint8Array {
    const start = this.#span();
    return this.#bytes.subarray(start, this.#position);
  }

  /** @param expected Returned if the field has exactly this text, in ASCII: no other text is made then. */
  string(expected?: string): string {
    const start = this.#span();
    const length = this.#position - start;
    if (expected !== undefined && this.#isAscii(start, expected)) return expected;
    // Names are short and ASCII, so a decoder costs more than a loop.
    if (length <= 24) {
      let text = '';
      let index = start;
      for (; index < this.#position; index++) {
        const byte = this.#bytes[index] ?? 0;
        if (byte >= 0x80) break;
        text += String.fromCharCode(byte);
      }
      if (index === this.#position) return text;
    }
    try {
      return strictUtf8.decode(this.#bytes.subarray(start, this.#position));
    } catch {
      throw this.#malformed('text that is not UTF-8');
    }
  }

  #isAscii(start: number, text: string): boolean {
    if (text.length !== this.#position - start) return false;
    for (let index = 0; index < text.length; index++) {
      const byte = this.#bytes[start + index] ?? 0x80;
      if (byte >= 0x80 || byte !== text.charCodeAt(index)) return false;
    }
    return true;
  }

  /** A reader over the message in this field. */
  message(what: string): Reader {
    const start = this.#span();
    const reader = new Reader(this.#bytes, what, start, this.#position);
    reader.#isStrict = this.#isStrict;
    return reader;
  }

  /** Passes over a field that is not known. */
  skip(): void {
    this.#skip(MAX_GROUP_DEPTH);
  }

  #skip(depth: number): void {
    switch (this.type) {
      case VARINT:
        this.#varint();
        return;
      case FIXED64:
        this.#advance(8);
        return;
      case BYTES:
        this.#span();
        return;
      case FIXED32:
        this.#advance(4);
        return;
      case GROUP:
        this.#skipGroup(depth);
        return;
      default:
        throw this.#malformed('wire type');
    }
  }

  #skipGroup(depth: number): void {
    const group = this.field;
    if (depth === 0) throw this.#malformed('groups nested too deeply');
    for (;;) {
      if (!this.next()) throw this.#malformed('truncated');
      if (this.type === END_GROUP) break;
      this.#skip(depth - 1);
    }
    if (this.field !== group) throw this.#malformed('end of another group');
  }

  /** Reads a length and moves past that many bytes; returns their start. */
  #span(): number {
    this.#expect(BYTES);
    this.#varint();
    if (this.#high !== 0) throw this.#malformed('length');
    const start = this.#position;
    this.#advance(this.#low);
    return start;
  }

  #advance(count: number): void {
    if (count > this.#end - this.#position) throw this.#malformed('truncated');
    this.#position += count;
  }

  #expect(type: number): void {
    if (this.type !== type) throw this.#malformed('wire type');
  }

  /** Leaves the value in two unsigned halves. */
  #varint(): void {
    let low = 0;
    let high = 0;
    for (let index = 0; index < 10; index++) {
      if (this.#position >= this.#end) throw this.#malformed('truncated');
      const byte = this.#bytes[this.#position++] ?? 0;
      const bits = byte & 0x7f;
      if (index < 4) low |= bits << (7 * index);
      else if (index === 4) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (7 * index - 32);
      if (byte < 0x80) {
        if (index === 9 && byte > 1) break;
        if (byte === 0 && index > 0 && this.#isStrict)
          throw this.#malformed('number that is longer than it needs to be');
        this.#low = low >>> 0;
        this.#high = high >>> 0;
        return;
      }
    }
    throw this.#malformed('number over 64 bits');
  }

  #malformed(problem: string): Rejected {
    return new Rejected('malformed', { message: this.#what, problem, at: this.#position, field: this.field });
  }
}
