import { sha256 } from '@switchyard/protocol';
import type { Backend } from './backend.ts';
import { Committed, type Ground, SealedLayer, VersionSnapshot } from './ground.ts';
import { type Changes, DELETED, Overlay } from './overlay.ts';
import { hashKey } from './proof.ts';
import { mergeChanges } from './stack.ts';
import {
  HELD_VERSIONS,
  type Head,
  INDEX_PREFIX,
  type Layer,
  type Snapshot,
  type StateReader,
  type Store,
} from './store.ts';
import { compareHashes, type TreeChange, updateTree } from './tree.ts';

/** The store over any backend: layers, roots, and which versions are still readable. */
export function createStore(backend: Backend): Store {
  return new LayeredStore(backend);
}

class LayeredStore implements Store {
  readonly #backend: Backend;
  #committed: Committed;
  #head: Ground;
  /** Sealed and not on disk. */
  readonly #layers = new Set<SealedLayer>();
  /** Superseded versions that snapshots may still read. */
  #held: Committed[] = [];
  #inFlight: SealedLayer | undefined;
  #writes: Promise<void> = Promise.resolve();

  constructor(backend: Backend) {
    this.#backend = backend;
    this.#committed = new Committed(backend.view(), 0, 0, undefined);
    this.#head = this.#committed;
  }

  snapshot(): Snapshot {
    this.#committed.taken = true;
    return new VersionSnapshot(this.#committed.view);
  }

  head(): Head {
    return this.#head;
  }

  begin(layer?: Layer): Overlay {
    return new Overlay(layer === undefined ? this.#head : this.#groundOf(layer));
  }

  seal(overlay: Overlay, height: bigint): Layer {
    const ground = this.#groundOf(overlay.base);
    if (ground.height !== undefined && height <= ground.height) {
      throw new Error(`height ${height} sealed on top of height ${ground.height}`);
    }
    const changes = overlay.take();
    const tree = updateTree((path) => this.#page(ground, path), treeChanges(changes));
    const position = ground.position + 1;
    const layer = new SealedLayer({
      height,
      root: tree.root,
      position,
      below: ground instanceof SealedLayer ? ground : undefined,
      changes,
      changedPages: tree.pages,
      state: ground.state.with(changes, position, this.#committed.position),
      pages: ground.pages.with(tree.pages, position, this.#committed.position),
      committed: () => this.#committed,
    });
    this.#layers.add(layer);
    this.#head = layer;
    return layer;
  }

  drop(): void {
    const kept = new Set(this.#inFlight?.chain());
    for (const layer of this.#layers) if (!kept.has(layer)) this.#forget(layer);
    this.#head = this.#inFlight ?? this.#committed;
  }

  commit(upTo: Layer): Promise<void> {
    // One after the other. Whoever asked for a commit that fails is told; the next one tries anew.
    const written = this.#writes.then(() => this.#write(this.#groundOf(upTo)));
    this.#writes = written.catch(() => undefined);
    return written;
  }

  async close(): Promise<void> {
    await this.#writes;
    this.drop();
    for (const version of [...this.#held, this.#committed]) {
      version.supersede();
      version.view.release();
    }
    this.#held = [];
    await this.#backend.close();
  }

  async #write(upTo: Ground): Promise<void> {
    // Already on disk.
    if (!(upTo instanceof SealedLayer)) return;
    const chain = upTo.chain();
    this.#inFlight = upTo;
    try {
      await this.#backend.write({
        from: this.#committed.height,
        height: upTo.height,
        root: upTo.root,
        state: mergeChanges(chain.map((layer) => layer.changes)),
        pages: mergeChanges(chain.map((layer) => layer.changedPages)),
      });
    } finally {
      this.#inFlight = undefined;
    }
    this.#publish(upTo, new Set(chain));
  }

  /** In one step: from here on readers see the new version and no layer that is part of it. */
  #publish(upTo: SealedLayer, chain: ReadonlySet<SealedLayer>): void {
    for (const layer of this.#layers) {
      if (layer === upTo) this.#layers.delete(layer);
      else if (chain.has(layer) || !layer.chain().includes(upTo)) this.#forget(layer);
    }
    // What was written is now read from disk, so nothing keeps it in memory.
    for (const layer of this.#layers) if (layer.below === upTo) layer.below = undefined;
    upTo.below = undefined;

    const before = this.#committed;
    before.supersede();
    this.#committed = new Committed(this.#backend.view(), upTo.position, before.serial + 1, upTo);
    if (before.taken) this.#held.push(before);
    else before.view.release();
    this.#held = this.#held.filter((version) => {
      const held = this.#committed.serial - version.serial <= HELD_VERSIONS;
      if (!held) version.view.release();
      return held;
    });
    if (this.#head === upTo || this.#head.gone) this.#head = this.#committed;
  }

  #groundOf(base: StateReader): Ground {
    if (base === this.#committed || base === this.#committed.layer) return this.#committed;
    if (base instanceof SealedLayer && this.#layers.has(base)) return base;
    throw new Error('state to build on was dropped, committed over, or never part of this store');
  }

  #forget(layer: SealedLayer): void {
    layer.gone = true;
    this.#layers.delete(layer);
  }

  #page(ground: Ground, path: string): Uint8Array | undefined {
    const changed = ground.pages.get(path);
    if (changed === undefined) return this.#committed.view.page(path);
    return changed === DELETED ? undefined : changed;
  }
}

/** What a block changes in the tree, in the order of the tree. */
function treeChanges(changes: Changes): TreeChange[] {
  const hashed: TreeChange[] = [];
  for (const [key, value] of changes) {
    if (key.startsWith(INDEX_PREFIX)) continue;
    hashed.push({ keyHash: hashKey(key), valueHash: value === DELETED ? undefined : sha256(value) });
  }
  return hashed.sort((a, b) => compareHashes(a.keyHash, b.keyHash));
}
