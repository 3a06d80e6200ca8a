import { ForeseenError } from '@switchyard/protocol';
import { bytesOf, numberOf } from '../hex.ts';
import type { Data } from '../types.ts';

/** Numbers are written without leading zeros, text is hex with `0x`. */
export type RlpInput = Uint8Array | bigint | Data | readonly RlpInput[];

/** What was read: bytes are views of the input. */
export type RlpTree = Uint8Array | readonly RlpTree[];

/** Bytes that are no canonical RLP. */
export class InvalidRlp extends ForeseenError {
  override readonly name = 'InvalidRlp';
}

/** Recursive Length Prefix, as the Yellow Paper's appendix B has it. */
export function encodeRlp(input: RlpInput): Uint8Array {
  const parts: Uint8Array[] = [];
  const total = append(input, parts);
  const out = new Uint8Array(total);
  // Written back to front, because a list's head needs the length of what follows.
  let at = total;
  for (const part of parts) {
    at -= part.length;
    out.set(part, at);
  }
  return out;
}

/** Head of a list whose items take `length` bytes. */
export function listHead(length: number): Uint8Array {
  return head(0xc0, length);
}

/** Bytes that one string of `length` bytes takes, if it is longer than one byte. */
export function sizeOfString(length: number): number {
  return head(0x80, length).length + length;
}

/** Appends the parts in reverse and answers how long they are together. */
function append(input: RlpInput, parts: Uint8Array[]): number {
  if (isList(input)) {
    let length = 0;
    for (let index = input.length - 1; index >= 0; index -= 1) length += append(input[index] ?? EMPTY, parts);
    const prefix = head(0xc0, length);
    parts.push(prefix);
    return length + prefix.length;
  }
  const bytes = bytesOfInput(input);
  parts.push(bytes);
  if (bytes.length === 1 && (bytes[0] ?? 0) < 0x80) return 1;
  const prefix = head(0x80, bytes.length);
  parts.push(prefix);
  return bytes.length + prefix.length;
}

/** What `Array.isArray` does not say of readonly arrays. */
function isList(input: RlpInput): input is readonly RlpInput[] {
  return Array.isArray(input);
}

function bytesOfInput(input: Uint8Array | bigint | Data): Uint8Array {
  if (typeof input === 'bigint') return minimalBytes(input);
  return typeof input === 'string' ? bytesOf(input) : input;
}

function minimalBytes(value: bigint): Uint8Array {
  if (value === 0n) return EMPTY;
  if (value < 0x100n) return SINGLE_BYTES[Number(value)] ?? EMPTY;
  const digits = value.toString(16);
  return bytesOf(digits.length % 2 === 0 ? `0x${digits}` : `0x0${digits}`);
}

const EMPTY = new Uint8Array();
const SINGLE_BYTES = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));

function head(base: 0x80 | 0xc0, length: number): Uint8Array {
  if (length < 56) return SINGLE_BYTES[base + length] ?? EMPTY;
  if (length < 0x100) return Uint8Array.of(base + 56, length);
  if (length < 0x1_0000) return Uint8Array.of(base + 57, length >> 8, length);
  if (length < 0x100_0000) return Uint8Array.of(base + 58, length >> 16, length >> 8, length);
  return Uint8Array.of(base + 59, length >>> 24, length >> 16, length >> 8, length);
}

/** Where an item's content is. The next item begins at `end`. */
export interface RlpItem {
  readonly isList: boolean;
  readonly start: number;
  readonly end: number;
}

/** The item at `at`, which must end at or before `limit`. @throws {InvalidRlp} */
export function itemAt(bytes: Uint8Array, at: number, limit: number): RlpItem {
  const first = bytes[at];
  if (first === undefined || at >= limit) throw new InvalidRlp('an item is missing');
  if (first < 0x80) return { isList: false, start: at, end: at + 1 };
  const isList = first >= 0xc0;
  const code = first - (isList ? 0xc0 : 0x80);
  let start = at + 1;
  let length = code;
  if (code > 55) {
    const width = code - 55;
    // Four bytes say more than any input here is long.
    if (width > 4 || start + width > limit || bytes[start] === 0) throw new InvalidRlp('a length is not canonical');
    length = 0;
    for (const byte of bytes.subarray(start, start + width)) length = length * 256 + byte;
    if (length < 56) throw new InvalidRlp('a length is not canonical');
    start += width;
  }
  const end = start + length;
  if (end > limit) throw new InvalidRlp('an item is longer than what holds it');
  if (!isList && length === 1 && (bytes[start] ?? 0) < 0x80) throw new InvalidRlp('a byte is not canonical');
  return { isList, start, end };
}

const MAX_DEPTH = 16;

/** All of `bytes` as one item. @throws {InvalidRlp} */
export function decodeRlp(bytes: Uint8Array): RlpTree {
  const item = itemAt(bytes, 0, bytes.length);
  if (item.end !== bytes.length) throw new InvalidRlp('bytes follow the item');
  return treeOf(bytes, item, 0);
}

function treeOf(bytes: Uint8Array, { isList, start, end }: RlpItem, depth: number): RlpTree {
  if (!isList) return bytes.subarray(start, end);
  if (depth > MAX_DEPTH) throw new InvalidRlp(`more than ${MAX_DEPTH} lists within each other`);
  const items: RlpTree[] = [];
  for (let at = start; at < end; ) {
    const item = itemAt(bytes, at, end);
    items.push(treeOf(bytes, item, depth + 1));
    at = item.end;
  }
  return items;
}

/** The items of a list. @throws {InvalidRlp} for bytes, or another number of items where one is given. */
export function listOf(tree: RlpTree | undefined, length?: number): readonly RlpTree[] {
  if (tree === undefined || tree instanceof Uint8Array) throw new InvalidRlp('a list is missing');
  if (length !== undefined && tree.length !== length)
    throw new InvalidRlp(`a list has ${tree.length} items, expected ${length}`);
  return tree;
}

/** The bytes of an item. @throws {InvalidRlp} for a list, or another length where one is given. */
export function stringOf(tree: RlpTree | undefined, length?: number): Uint8Array {
  if (!(tree instanceof Uint8Array)) throw new InvalidRlp('bytes are missing');
  if (length !== undefined && tree.length !== length)
    throw new InvalidRlp(`an item has ${tree.length} bytes, expected ${length}`);
  return tree;
}

/** An unsigned number of at most `maxBytes` bytes. @throws {InvalidRlp} also where it begins with a zero. */
export function uintOf(tree: RlpTree | undefined, maxBytes: number): bigint {
  const bytes = stringOf(tree);
  if (bytes.length > maxBytes) throw new InvalidRlp(`a number has ${bytes.length} bytes, at most ${maxBytes} fit`);
  if (bytes[0] === 0) throw new InvalidRlp('a number begins with a zero');
  return numberOf(bytes);
}
