import { keccak256 } from '../../keccak.ts';

/**
 * What is below a branch, by nibble. `BRANCH`: a branch one nibble deeper. `LEAF`: a value. `EXTENSION`: a branch some
 * nibbles deeper, with an extension node between.
 */
export const NONE = 0;
export const BRANCH = 1;
export const LEAF = 2;
export const EXTENSION = 3;

/**
 * A branch node of a Merkle-Patricia trie, with what is needed to find what is below it. Extension nodes and leaves have
 * no rows of their own: a leaf is made from its value, an extension from the branch below it.
 */
export class Branch {
  /** One of `NONE`, `BRANCH`, `LEAF`, `EXTENSION`. */
  readonly kinds = new Uint8Array(16);
  /** 32 bytes for each child: the hash of its node. */
  readonly hashes: Uint8Array;
  /** Of a leaf, its key before hashing, a character for each byte; of an extension, its nibbles in hex. */
  readonly notes: (string | undefined)[];
  /** RLP of the children that are shorter than a hash, and so stand in the branch itself. Rare. */
  embedded: (Uint8Array | undefined)[] | undefined;

  constructor(from?: Branch) {
    if (from === undefined) {
      this.hashes = new Uint8Array(512);
      this.notes = new Array<string | undefined>(16).fill(undefined);
      return;
    }
    this.kinds.set(from.kinds);
    this.hashes = from.hashes.slice();
    this.notes = from.notes.slice();
    this.embedded = from.embedded?.slice();
  }

  get children(): number {
    let count = 0;
    for (let nibble = 0; nibble < 16; nibble++) if (this.kinds[nibble] !== NONE) count++;
    return count;
  }

  /** @param node Its RLP. */
  set(nibble: number, kind: number, node: Uint8Array, note: string | undefined): void {
    this.kinds[nibble] = kind;
    this.notes[nibble] = note;
    if (node.length < 32) {
      this.embedded ??= new Array<Uint8Array | undefined>(16).fill(undefined);
      this.embedded[nibble] = node.slice();
    } else {
      if (this.embedded !== undefined) this.embedded[nibble] = undefined;
      this.hashes.set(keccak256(node), nibble * 32);
    }
  }

  remove(nibble: number): void {
    this.kinds[nibble] = NONE;
    this.notes[nibble] = undefined;
    if (this.embedded !== undefined) this.embedded[nibble] = undefined;
  }

  /** RLP of the node. Valid until the next call, on any branch. */
  rlp(): Uint8Array {
    let end = HEAD;
    for (let nibble = 0; nibble < 16; nibble++) {
      const embedded = this.embedded?.[nibble];
      if (this.kinds[nibble] === NONE) scratch[end++] = 0x80;
      else if (embedded !== undefined) {
        scratch.set(embedded, end);
        end += embedded.length;
      } else {
        scratch[end++] = 0xa0;
        const start = nibble * 32;
        for (let index = 0; index < 32; index++) scratch[end++] = this.hashes[start + index] ?? 0;
      }
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
