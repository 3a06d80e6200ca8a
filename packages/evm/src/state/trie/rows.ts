import { BRANCH, Branch, EXTENSION, LEAF, NONE } from './branch.ts';
import type { RootNote, TrieRow } from './update.ts';

/** First byte of a row. */
const BRANCH_ROW = 1;
const ROOT_LEAF_ROW = 2;
const ROOT_BRANCH_ROW = 3;
/** In a branch row, added to the kind of a child that stands in its parent. */
const EMBEDDED = 4;

/**
 * A row as it is stored. A branch: two children in a byte, kinds only; then for each child its hash, or a length and its
 * RLP, and for leaves and extensions a length and the note.
 */
export function encodeTrieRow(row: TrieRow): Uint8Array {
  if (!(row instanceof Branch)) return encodeRoot(row);
  const { kinds, hashes, notes, embedded } = row;
  scratch[0] = BRANCH_ROW;
  let end = 9;
  for (let nibble = 0; nibble < 16; nibble++) {
    const kind = kinds[nibble] ?? NONE;
    const inside = embedded?.[nibble];
    const half = kind === NONE || inside === undefined ? kind : kind + EMBEDDED;
    const at = 1 + (nibble >> 1);
    scratch[at] = nibble % 2 === 0 ? half << 4 : (scratch[at] ?? 0) + half;
    if (kind === NONE) continue;
    if (inside === undefined) {
      const start = nibble * 32;
      for (let index = 0; index < 32; index++) scratch[end++] = hashes[start + index] ?? 0;
    } else {
      scratch[end++] = inside.length;
      scratch.set(inside, end);
      end += inside.length;
    }
    if (kind === BRANCH) continue;
    const note = notes[nibble] ?? '';
    scratch[end++] = note.length;
    for (let index = 0; index < note.length; index++) scratch[end++] = note.charCodeAt(index);
  }
  return scratch.slice(0, end);
}

/** @throws {Error} for bytes that are not such a row. */
export function decodeTrieRow(bytes: Uint8Array): TrieRow {
  if (bytes[0] === ROOT_LEAF_ROW) return { kind: 'leaf', key: textOf(bytes, 1, bytes.length) };
  if (bytes[0] === ROOT_BRANCH_ROW) return { kind: 'branch', path: textOf(bytes, 1, bytes.length) };
  if (bytes[0] !== BRANCH_ROW) throw new Error(`a row of the trie begins with ${bytes[0]}`);
  const row = new Branch();
  let at = 9;
  for (let nibble = 0; nibble < 16; nibble++) {
    const pair = bytes[1 + (nibble >> 1)] ?? 0;
    const half = nibble % 2 === 0 ? pair >> 4 : pair & 15;
    const kind = half & 3;
    row.kinds[nibble] = kind;
    if (kind === NONE) continue;
    if ((half & EMBEDDED) === 0) {
      const start = nibble * 32;
      for (let index = 0; index < 32; index++) row.hashes[start + index] = bytes[at++] ?? 0;
    } else {
      const length = bytes[at++] ?? 0;
      row.embedded ??= new Array<Uint8Array | undefined>(16).fill(undefined);
      row.embedded[nibble] = bytes.slice(at, at + length);
      at += length;
    }
    if (kind !== LEAF && kind !== EXTENSION) continue;
    const length = bytes[at++] ?? 0;
    row.notes[nibble] = textOf(bytes, at, at + length);
    at += length;
  }
  if (at !== bytes.length) throw new Error(`a row of the trie has ${bytes.length} bytes, expected ${at}`);
  return row;
}

/** A row is never longer: 16 hashes, 16 notes of up to 64 characters, lengths and heads. */
const scratch = new Uint8Array(9 + 16 * (32 + 1 + 64));

function encodeRoot(note: RootNote): Uint8Array {
  const text = note.kind === 'leaf' ? note.key : note.path;
  const bytes = new Uint8Array(1 + text.length);
  bytes[0] = note.kind === 'leaf' ? ROOT_LEAF_ROW : ROOT_BRANCH_ROW;
  for (let index = 0; index < text.length; index++) bytes[index + 1] = text.charCodeAt(index);
  return bytes;
}

function textOf(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1');
}
