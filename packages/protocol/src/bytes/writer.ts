/** The other direction of `reader.ts`. */
import { BYTES, FIXED64, VARINT } from './reader.ts';

const LOW_64 = (1n << 64n) - 1n;
const utf8 = new TextEncoder();

/** Writes one message. Zero, empty and false are omitted, as proto3 requires, except if the name of a method states otherwise. */
export class Writer {
  #bytes: Uint8Array;
  #length = 0;

  /** `capacity`: an estimate of the size, exact if the message is big. Up to 64 bytes are much cheaper to get. */
  constructor(capacity = 64) {
    this.#bytes = new Uint8Array(capacity);
  }

  uint32(field: number, value: number): this {
    return value === 0 ? this : this.uint32Always(field, value);
  }

  uint64(field: number, value: bigint): this {
    return value === 0n ? this : this.uint64Always(field, value);
  }

  /** These two for repeated fields and members of a oneof, in which zero differs from absent. */
  uint32Always(field: number, value: number): this {
    return this.#tag(field, VARINT).#small(value);
  }

  uint64Always(field: number, value: bigint): this {
    return this.#tag(field, VARINT).#big(value);
  }

  int32(field: number, value: number): this {
    return value >= 0 ? this.uint32(field, value) : this.int64(field, BigInt(value));
  }

  int64(field: number, value: bigint): this {
    return this.uint64(field, BigInt.asUintN(64, value));
  }

  sfixed64(field: number, value: bigint): this {
    if (value === 0n) return this;
    this.#tag(field, FIXED64).#reserve(8);
    let rest = BigInt.asUintN(64, value);
    for (let index = 0; index < 8; index++, rest >>= 8n) this.#bytes[this.#length++] = Number(rest & 0xffn);
    return this;
  }

  /** A repeated field, packed. */
  uint32s(field: number, values: readonly number[]): this {
    if (values.length === 0) return this;
    return this.message(field, (packed) => {
      for (const value of values) packed.#small(value);
    });
  }

  bool(field: number, value: boolean): this {
    return this.uint32(field, value ? 1 : 0);
  }

  bytes(field: number, value: Uint8Array): this {
    return value.length === 0 ? this : this.bytesAlways(field, value);
  }

  /** For repeated fields and members of a oneof, in which empty differs from absent. */
  bytesAlways(field: number, value: Uint8Array): this {
    this.#tag(field, BYTES).#small(value.length).#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  string(field: number, value: string): this {
    if (value === '') return this;
    // Names and numbers are short and ASCII, so an encoder costs more than a loop.
    return value.length <= 64 && this.#ascii(field, value) ? this : this.bytesAlways(field, utf8.encode(value));
  }

  /** A message that is present, even when nothing is written into it. */
  message(field: number, write: (writer: this) => void): this {
    this.#tag(field, BYTES).#reserve(1);
    const start = ++this.#length;
    write(this);
    const length = this.#length - start;
    const extra = lengthOfVarint(length) - 1;
    if (extra > 0) {
      this.#reserve(extra);
      this.#bytes.copyWithin(start + extra, start, start + length);
    }
    this.#length = start - 1;
    this.#small(length);
    this.#length = start + extra + length;
    return this;
  }

  finish(): Uint8Array {
    return this.#length === this.#bytes.length ? this.#bytes : this.#bytes.slice(0, this.#length);
  }

  /** A copy of the written bytes; the writer begins again, with the memory that it has. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }

  /** @returns false, with nothing written, for text that is not ASCII. */
  #ascii(field: number, value: string): boolean {
    const before = this.#length;
    this.#tag(field, BYTES).#small(value.length).#reserve(value.length);
    for (let index = 0; index < value.length; index++) {
      const code = value.charCodeAt(index);
      if (code >= 0x80) {
        this.#length = before;
        return false;
      }
      this.#bytes[this.#length++] = code;
    }
    return true;
  }

  #tag(field: number, type: number): this {
    return this.#small(field * 8 + type);
  }

  #small(value: number): this {
    this.#reserve(5);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
    return this;
  }

  #big(value: bigint): this {
    if (value <= 0xffff_ffffn) return this.#small(Number(value));
    this.#reserve(10);
    let rest = value & LOW_64;
    while (rest >= 0x80n) {
      this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#bytes[this.#length++] = Number(rest);
    return this;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + count));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

export function lengthOfVarint(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest >>>= 7) length++;
  return length;
}

/** Bytes that a length-delimited field below number 16 takes. */
export function sizeOfBytesField(length: number): number {
  return 1 + lengthOfVarint(length) + length;
}
