import { toLatin1 } from '../bytes.ts';
import { BRANCH, Branch, EXTENSION, LEAF, NONE } from './branch.ts';
import type { RootNote, TrieRow } from './update.ts';

/** First byte of a row. */
const BRANCH_ROW = 1;
const ROOT_LEAF_ROW = 2;
const ROOT_BRANCH_ROW = 3;
/** In a branch row, added to the kind of a child that stands in its parent. */
const EMBEDDED = 4;

/**
 * A stored row. A branch: two children in a byte, kinds only; then for each child its hash, or a length and its
 * RLP, and for leaves and extensions a length and the note.
 */
export function encodeTrieRow(row: TrieRow): Uint8Array {
  if (!(row instanceof Branch)) return encodeRoot(row);
  scratch[0] = BRANCH_ROW;
  let end = 9;
  for (let nibble = 0; nibble < 16; nibble++) {
    const kind = row.kind(nibble);
    const reference = row.reference(nibble);
    const isEmbedded = kind !== NONE && reference.length < 32;
    const half = isEmbedded ? kind + EMBEDDED : kind;
    const at = 1 + (nibble >> 1);
    scratch[at] = nibble % 2 === 0 ? half << 4 : (scratch[at] ?? 0) + half;
    if (kind === NONE) continue;
    if (isEmbedded) scratch[end++] = reference.length;
    for (let index = 0; index < reference.length; index++) scratch[end++] = reference.charCodeAt(index);
    if (kind === BRANCH) continue;
    const note = row.note(nibble);
    scratch[end++] = note.length;
    for (let index = 0; index < note.length; index++) scratch[end++] = note.charCodeAt(index);
  }
  return scratch.slice(0, end);
}

/** @throws {Error} for bytes that are not such a row. */
export function decodeTrieRow(bytes: Uint8Array): TrieRow {
  // Parts of one text cost less than texts of their own.
  const text = toLatin1(bytes);
  if (bytes[0] === ROOT_LEAF_ROW) return { kind: 'leaf', key: text.slice(1) };
  if (bytes[0] === ROOT_BRANCH_ROW) return { kind: 'branch', path: text.slice(1) };
  if (bytes[0] !== BRANCH_ROW) throw new Error(`a row of the trie begins with ${bytes[0]}`);
  const row = new Branch();
  let at = 9;
  for (let nibble = 0; nibble < 16; nibble++) {
    const pair = bytes[1 + (nibble >> 1)] ?? 0;
    const half = nibble % 2 === 0 ? pair >> 4 : pair & 15;
    const kind = half & 3;
    if (kind === NONE) continue;
    const length = (half & EMBEDDED) === 0 ? 32 : (bytes[at++] ?? 0);
    const reference = text.slice(at, at + length);
    at += length;
    const hasNote = kind === LEAF || kind === EXTENSION;
    const noteLength = hasNote ? (bytes[at++] ?? 0) : 0;
    row.put(nibble, kind, reference, hasNote ? text.slice(at, at + noteLength) : '');
    at += noteLength;
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
