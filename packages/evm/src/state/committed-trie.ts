import type { StateReader } from '@switchyard/evm-machine/state';
import type { DbWriter } from '../database/database.ts';
import type { ChangedKeys } from './changed-keys.ts';
import { GenerationalCache } from './generational-cache.ts';
import { moveTries } from './move.ts';
import type { Head, NodeName, StateRows, TrieName } from './rows.ts';
import type { TrieRow } from './trie/update.ts';

type Tries = ReadonlyMap<TrieName, ReadonlyMap<string, TrieRow | undefined>>;

/** Nodes from disk that stay in memory. One takes about 700 bytes. */
const HOT_NODES = 32_768;

/** How late nodes may reach the disk. */
export interface Lateness {
  /** Nodes that changed, */
  readonly nodes: number;
  /** or values, each as often as it changed: the number that a start has to look at again, */
  readonly values: number;
  /** or blocks: fewer than those whose keys are kept. */
  readonly blocks: bigint;
}

export const USUAL_LATENESS: Lateness = { nodes: 32_768, values: 65_536, blocks: 100n };

/** Until it is committed, the results of a write of some blocks are not valid yet. */
interface Writing {
  readonly w: DbWriter;
  /** Nodes that were pending before the write, until it has put them on disk. */
  before: ReadonlyMap<NodeName, TrieRow | undefined>;
  /** Tries of blocks whose nodes it has not put on disk. */
  blocks: Tries[];
  changes: number;
  onDisk: bigint;
}

/**
 * The nodes of the newest block's tries. They reach the disk some blocks late: the nodes near a root change in every
 * block, and need not be written in every one. Missing nodes are computed after a start from the values, which are
 * never late.
 */
export class CommittedTrie {
  readonly #rows: StateRows;
  readonly #lateness: Lateness;
  readonly #hot = new GenerationalCache<NodeName, TrieRow>(HOT_NODES);
  #pending = new Map<NodeName, TrieRow | undefined>();
  #changes = 0;
  /** Block whose tries are on disk. */
  #onDisk = 0n;
  /** A write in progress. */
  #writing: Writing | undefined;

  constructor(rows: StateRows, lateness: Lateness) {
    this.#rows = rows;
    this.#lateness = lateness;
  }

  row(trie: TrieName, path: string): TrieRow | undefined {
    const name = trie + path;
    const pending = this.#pending.get(name);
    if (pending !== undefined || this.#pending.has(name)) return pending;
    const hot = this.#hot.get(name);
    if (hot !== undefined) return hot;
    const row = this.#rows.node(name);
    if (row !== undefined) this.#hot.set(name, row);
    return row;
  }

  /** @param state Of the newest block. @throws {Error} when the values do not give the root of that block. */
  catchUp(head: Head, changed: ChangedKeys, state: StateReader): void {
    this.#onDisk = this.#rows.head('trie')?.number ?? 0n;
    if (this.#onDisk === head.number) return;
    const keys = changed.between(this.#onDisk, head.number, Number.POSITIVE_INFINITY);
    if (keys === undefined) {
      throw new Error(`the keys that changed in blocks ${this.#onDisk + 1n} to ${head.number} are missing on disk`);
    }
    const { root, tries } = moveTries({ trieRow: (trie, path) => this.row(trie, path) }, keys, state);
    if (root !== head.root) {
      throw new Error(`the state on disk is damaged: block ${head.number} has root ${head.root}, its values ${root}`);
    }
    gather(this.#pending, tries);
    this.#changes = keys.count;
  }

  /** @param changes How many values changed. */
  write(w: DbWriter, head: Head, tries: Tries, changes: number): void {
    if (this.#writing?.w !== w) {
      this.#writing = { w, before: this.#pending, blocks: [], changes: this.#changes, onDisk: this.#onDisk };
    }
    const writing = this.#writing;
    writing.blocks.push(tries);
    writing.changes += changes;
    if (!due(this.#lateness, writing, head.number)) {
      w.afterCommit(() => {
        this.#writing = undefined;
        gather(this.#pending, tries);
        this.#changes += changes;
      });
      return;
    }
    const all = new Map(writing.before);
    for (const block of writing.blocks) gather(all, block);
    // In their order: neighbours are on one page.
    for (const name of [...all.keys()].sort()) this.#rows.putNode(w, name, all.get(name));
    this.#rows.putHead(w, 'trie', head);
    Object.assign(writing, { before: new Map(), blocks: [], changes: 0, onDisk: head.number });
    w.afterCommit(() => this.#flushed(head.number, all));
  }

  #flushed(number: bigint, all: ReadonlyMap<NodeName, TrieRow | undefined>): void {
    this.#writing = undefined;
    for (const [name, row] of all) {
      if (row === undefined) this.#hot.delete(name);
      else this.#hot.set(name, row);
    }
    this.#pending = new Map();
    this.#changes = 0;
    this.#onDisk = number;
  }
}

function due(lateness: Lateness, { before, blocks, changes, onDisk }: Writing, number: bigint): boolean {
  if (number === 0n || number - onDisk >= lateness.blocks || changes >= lateness.values) return true;
  let nodes = before.size;
  for (const block of blocks) for (const rows of block.values()) nodes += rows.size;
  return nodes >= lateness.nodes;
}

function gather(into: Map<NodeName, TrieRow | undefined>, tries: Tries): void {
  for (const [trie, rows] of tries) for (const [path, row] of rows) into.set(trie + path, row);
}
