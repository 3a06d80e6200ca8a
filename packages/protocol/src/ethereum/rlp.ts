import { ForeseenError } from '../errors.ts';
import { bytesToBigInt, type Hex, hexToBytes, putHex } from './hex.ts';

/** Numbers are written without leading zeros, text is hex with `0x`. */
export type RlpInput = Uint8Array | bigint | Hex | readonly RlpInput[];

/** Decoded RLP: bytes are views of the input. */
export type RlpTree = Uint8Array | readonly RlpTree[];

/** Bytes that are no canonical RLP. */
export class InvalidRlp extends ForeseenError {
  override readonly name = 'InvalidRlp';
}

/** Recursive Length Prefix, as the Yellow Paper's appendix B has it. */
export function encodeRlp(input: RlpInput): Uint8Array {
  return encodeRlpOnce(input).slice();
}

/** Encodes without a copy: overwritten by the next encoding. */
export function encodeRlpOnce(input: RlpInput): Uint8Array {
  if (room.length > KEPT_ROOM) room = new Uint8Array(KEPT_ROOM);
  // Written from the end to the front, because a head needs the length of its content.
  const length = put(input, 0);
  return room.subarray(room.length - length);
}

/** Head of a list whose items take `length` bytes. */
export function listHead(length: number): Uint8Array {
  return head(0xc0, length);
}

/** Bytes that one string of `length` bytes takes, if it is longer than one byte. */
export function sizeOfString(length: number): number {
  return head(0x80, length).length + length;
}

const KEPT_ROOM = 2_097_152;
/** Buffer with the encoding in progress at its end. */
let room = new Uint8Array(KEPT_ROOM);

/** Writes an item before the last `used` bytes of `room`. @returns how many are used then. */
function put(input: RlpInput, used: number): number {
  if (isList(input)) {
    let all = used;
    for (let index = input.length - 1; index >= 0; index -= 1) all = put(input[index] ?? EMPTY, all);
    return putHead(0xc0, all - used, all);
  }
  const all = typeof input === 'bigint' ? putNumber(input, used) : putString(input, used);
  const isItsOwn = all === used + 1 && (room[room.length - all] ?? 0) < 0x80;
  return isItsOwn ? all : putHead(0x80, all - used, all);
}

function putString(input: Uint8Array | Hex, used: number): number {
  const isShortText = typeof input === 'string' && input.length <= SHORT_TEXT;
  const bytes = typeof input !== 'string' ? input : isShortText ? EMPTY : hexToBytes(input);
  const all = used + (isShortText ? (input.length - 2) >> 1 : bytes.length);
  makeRoom(all);
  if (isShortText) putHex(room, room.length - all, input);
  else room.set(bytes, room.length - all);
  return all;
}

/** Characters of a hash: up to this length, writing the bytes of a text is faster than copying them. */
const SHORT_TEXT = 66;

function putNumber(value: bigint, used: number): number {
  makeRoom(used + 32);
  let all = used;
  let rest = value;
  // Numbers of JavaScript are many times as fast, as far as they go.
  for (; rest > 0xffff_ffff_ffffn; rest >>= 48n) all = putDigits(Number(rest & 0xffff_ffff_ffffn), 6, all);
  return putDigits(Number(rest), 0, all);
}

/** @param value Below 2^53. @param least How many bytes it has at least. */
function putDigits(value: number, least: number, used: number): number {
  let all = used;
  for (let rest = value; rest > 0 || all < used + least; rest = Math.floor(rest / 256))
    room[room.length - ++all] = rest;
  return all;
}

function putHead(base: 0x80 | 0xc0, length: number, used: number): number {
  makeRoom(used + 5);
  const digits = length < 56 ? used : putDigits(length, 0, used);
  room[room.length - digits - 1] = length < 56 ? base + length : base + 55 + digits - used;
  return digits + 1;
}

function makeRoom(needed: number): void {
  if (needed <= room.length) return;
  const larger = new Uint8Array(2 * needed);
  larger.set(room, larger.length - room.length);
  room = larger;
}

/** Narrows readonly arrays too, unlike `Array.isArray`. */
function isList(input: RlpInput): input is readonly RlpInput[] {
  return Array.isArray(input);
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

/** Range of an item's content. The next item begins at `end`. */
export interface RlpItem {
  readonly isList: boolean;
  readonly start: number;
  readonly end: number;
}

/** The item at `at`, which must end at or before `limit`. @throws {InvalidRlp} */
export function itemAt(bytes: Uint8Array, at: number, limit: number): RlpItem {
  const item = { isList: false, start: 0, end: 0 };
  readItem(item, bytes, at, limit);
  return item;
}

/** Reads an item into an existing object: if many are looked at, one for each would be most of the garbage. */
export function readItem(into: Writable<RlpItem>, bytes: Uint8Array, at: number, limit: number): void {
  const first = bytes[at];
  if (first === undefined || at >= limit) throw new InvalidRlp('an item is missing');
  if (first < 0x80) {
    into.isList = false;
    into.start = at;
    into.end = at + 1;
    return;
  }
  const isList = first >= 0xc0;
  const code = first - (isList ? 0xc0 : 0x80);
  let start = at + 1;
  let length = code;
  if (code > 55) {
    const width = code - 55;
    // Four bytes say more than any input here is long.
    if (width > 4 || start + width > limit || bytes[start] === 0) throw new InvalidRlp('a length is not canonical');
    length = 0;
    for (let digit = 0; digit < width; digit += 1) length = length * 256 + (bytes[start + digit] ?? 0);
    if (length < 56) throw new InvalidRlp('a length is not canonical');
    start += width;
  }
  const end = start + length;
  if (end > limit) throw new InvalidRlp('an item is longer than what holds it');
  if (!isList && length === 1 && (bytes[start] ?? 0) < 0x80) throw new InvalidRlp('a byte is not canonical');
  into.isList = isList;
  into.start = start;
  into.end = end;
}

export type Writable<T> = { -readonly [K in keyof T]: T[K] };

const MAX_DEPTH = 16;

/** All of `bytes` as one item. @throws {InvalidRlp} */
export function decodeRlp(bytes: Uint8Array): RlpTree {
  const item = itemAt(bytes, 0, bytes.length);
  if (item.end !== bytes.length) throw new InvalidRlp('bytes follow the item');
  return buildTree(bytes, item, 0);
}

function buildTree(bytes: Uint8Array, { isList, start, end }: RlpItem, depth: number): RlpTree {
  if (!isList) return bytes.subarray(start, end);
  if (depth > MAX_DEPTH) throw new InvalidRlp(`more than ${MAX_DEPTH} lists within each other`);
  const items: RlpTree[] = [];
  for (let at = start; at < end; ) {
    const item = itemAt(bytes, at, end);
    items.push(buildTree(bytes, item, depth + 1));
    at = item.end;
  }
  return items;
}

/** The items of a list. @throws {InvalidRlp} for bytes, or another number of items if one is given. */
export function asList(tree: RlpTree | undefined, length?: number): readonly RlpTree[] {
  if (tree === undefined || tree instanceof Uint8Array) throw new InvalidRlp('a list is missing');
  if (length !== undefined && tree.length !== length)
    throw new InvalidRlp(`a list has ${tree.length} items, expected ${length}`);
  return tree;
}

/** The bytes of an item. @throws {InvalidRlp} for a list, or another length if one is given. */
export function asBytes(tree: RlpTree | undefined, length?: number): Uint8Array {
  if (!(tree instanceof Uint8Array)) throw new InvalidRlp('bytes are missing');
  if (length !== undefined && tree.length !== length)
    throw new InvalidRlp(`an item has ${tree.length} bytes, expected ${length}`);
  return tree;
}

/** An unsigned number of at most `maxBytes` bytes. @throws {InvalidRlp} also if it begins with a zero. */
export function asUint(tree: RlpTree | undefined, maxBytes: number): bigint {
  const bytes = asBytes(tree);
  if (bytes.length > maxBytes) throw new InvalidRlp(`a number has ${bytes.length} bytes, at most ${maxBytes} fit`);
  if (bytes[0] === 0) throw new InvalidRlp('a number begins with a zero');
  return bytesToBigInt(bytes);
}
