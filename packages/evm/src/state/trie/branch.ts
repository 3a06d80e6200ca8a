import { keccakText } from '@switchyard/protocol/ethereum';
import { toLatin1 } from '../bytes.ts';

/**
 * Kinds of children of a branch, by nibble. `BRANCH`: a branch one nibble deeper. `LEAF`: a value. `EXTENSION`: a
 * branch some nibbles deeper, with an extension node between.
 */
export const NONE = 0;
export const BRANCH = 1;
export const LEAF = 2;
export const EXTENSION = 3;

/**
 * A branch node of a Merkle-Patricia trie, with the facts needed to find the nodes below it. Extension nodes and leaves have
 * no rows of their own: a leaf is made from its value, an extension from the branch below it.
 *
 * Bytes are texts here, a character for each: a copy shares them, and the collector of garbage has less to do than with
 * as many arrays.
 */
export class Branch {
  /** Two bits for each nibble. */
  #kinds: number;
  /** For each nibble the representation of the child in the node: 32 characters are the hash of its node, fewer its RLP. */
  readonly #references: string[];
  /** For a leaf, its key before hashing; for an extension, its nibbles in hex. */
  readonly #notes: string[];

  /** @param from To be copied. */
  constructor(from?: Branch) {
    this.#kinds = from === undefined ? 0 : from.#kinds;
    this.#references = from === undefined ? new Array<string>(16).fill('') : from.#references.slice();
    this.#notes = from === undefined ? new Array<string>(16).fill('') : from.#notes.slice();
  }

  /** One of `NONE`, `BRANCH`, `LEAF`, `EXTENSION`. */
  kind(nibble: number): number {
    return (this.#kinds >>> (2 * nibble)) & 3;
  }

  reference(nibble: number): string {
    return this.#references[nibble] ?? '';
  }

  note(nibble: number): string {
    return this.#notes[nibble] ?? '';
  }

  get children(): number {
    let count = 0;
    for (let nibble = 0; nibble < 16; nibble++) if (this.kind(nibble) !== NONE) count++;
    return count;
  }

  /** The first child, in a branch that has one. */
  get firstChild(): number {
    let nibble = 0;
    while (this.kind(nibble) === NONE && nibble < 15) nibble++;
    return nibble;
  }

  /** @param node RLP of the child's node. */
  set(nibble: number, kind: number, node: Uint8Array, note: string): void {
    this.put(nibble, kind, node.length < 32 ? toLatin1(node) : keccakText(node), note);
  }

  /** @param reference As `reference` gives it. */
  put(nibble: number, kind: number, reference: string, note: string): void {
    this.#kinds = (this.#kinds & ~(3 << (2 * nibble))) | (kind << (2 * nibble));
    this.#references[nibble] = reference;
    this.#notes[nibble] = note;
  }

  remove(nibble: number): void {
    this.put(nibble, NONE, '', '');
  }

  /** RLP of the node. Valid until the next call, on any branch. */
  rlp(): Uint8Array {
    let end = HEAD;
    for (let nibble = 0; nibble < 16; nibble++) {
      const reference = this.#references[nibble] ?? '';
      const { length } = reference;
      // An absent child is an empty string in RLP, and a hash a string of 32 bytes; other references are RLP already.
      if (length === 0) scratch[end++] = 0x80;
      else if (length === 32) scratch[end++] = 0xa0;
      for (let index = 0; index < length; index++) scratch[end++] = reference.charCodeAt(index);
    }
    // No branch of these tries has a value: all keys are equally long.
    scratch[end++] = 0x80;
    const length = end - HEAD;
    if (length < 56) {
      scratch[HEAD - 1] = 0xc0 + length;
      return scratch.subarray(HEAD - 1, end);
    }
    if (length < 256) {
      scratch[HEAD - 2] = 0xf8;
      scratch[HEAD - 1] = length;
      return scratch.subarray(HEAD - 2, end);
    }
    scratch[HEAD - 3] = 0xf9;
    scratch[HEAD - 2] = length >> 8;
    scratch[HEAD - 1] = length & 0xff;
    return scratch.subarray(HEAD - 3, end);
  }
}

/** Room for the longest list head. */
const HEAD = 3;
const scratch = new Uint8Array(HEAD + 16 * 33 + 1);
