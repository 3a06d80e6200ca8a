/** RLP of the two short kinds of nodes, Yellow Paper, appendices C and D. */

/**
 * A leaf.
 *
 * @param path Nibbles in hex; those from `depth` on are the leaf's.
 */
import { toNibble } from '@switchyard/protocol/ethereum';
export function leafRlp(path: string, depth: number, value: Uint8Array): Uint8Array {
  const key = compact(path, depth, path.length, 0x20);
  const keySize = stringSize(key);
  const node = list(keySize + stringSize(value));
  putString(node, putString(node, node.length - keySize - stringSize(value), key), value);
  return node;
}

/**
 * An extension.
 *
 * @param child RLP of the branch below it, or its hash.
 * @param embedded Whether `child` is RLP.
 */
export function extensionRlp(path: string, from: number, to: number, child: Uint8Array, embedded: boolean): Uint8Array {
  const key = compact(path, from, to, 0x00);
  const childSize = embedded ? child.length : stringSize(child);
  const keySize = stringSize(key);
  const node = list(keySize + childSize);
  const end = putString(node, node.length - keySize - childSize, key);
  if (embedded) node.set(child, end);
  else putString(node, end, child);
  return node;
}

/** Hex-prefix encoding, Yellow Paper, appendix C. */
function compact(path: string, from: number, to: number, flag: number): Uint8Array {
  const odd = (to - from) % 2;
  const bytes = new Uint8Array(1 + ((to - from) >> 1));
  bytes[0] = flag + (odd === 1 ? 0x10 + nibbleAt(path, from) : 0);
  for (let index = 1, at = from + odd; at < to; at += 2, index++) {
    bytes[index] = nibbleAt(path, at) * 16 + nibbleAt(path, at + 1);
  }
  return bytes;
}

/** A list of this many bytes; its head is written, the rest is not. */
function list(length: number): Uint8Array {
  const lengthSize = length < 56 ? 0 : length < 256 ? 1 : 2;
  const bytes = new Uint8Array(1 + lengthSize + length);
  if (lengthSize === 0) bytes[0] = 0xc0 + length;
  else {
    bytes[0] = 0xf7 + lengthSize;
    bytes[lengthSize] = length & 0xff;
    if (lengthSize === 2) bytes[1] = length >> 8;
  }
  return bytes;
}

/** All strings here have at most 255 bytes. */
function stringSize(bytes: Uint8Array): number {
  if (bytes.length === 1 && (bytes[0] ?? 0) < 0x80) return 1;
  return bytes.length + (bytes.length < 56 ? 1 : 2);
}

/** @returns its end. */
function putString(into: Uint8Array, start: number, bytes: Uint8Array): number {
  let at = start;
  if (!(bytes.length === 1 && (bytes[0] ?? 0) < 0x80)) {
    if (bytes.length < 56) into[at++] = 0x80 + bytes.length;
    else {
      into[at++] = 0xb8;
      into[at++] = bytes.length;
    }
  }
  into.set(bytes, at);
  return at + bytes.length;
}

/** @param path Lower-case hex without prefix. */
export function nibbleAt(path: string, position: number): number {
  return toNibble(path.charCodeAt(position));
}
