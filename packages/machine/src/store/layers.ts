import { hashKey, sha256 } from '@switchyard/protocol';
import type { Backend } from './backend.ts';
import { type Changes, DELETED } from './changes.ts';
import { Committed, type Ground, SealedLayer } from './ground.ts';
import { Overlay } from './overlay.ts';
import { mergeChanges } from './stack.ts';
import type { StateReader } from './state.ts';
import { type Head, INDEX_PREFIX, type Layer, type Snapshot, type Store } from './store.ts';
import { compareHashes, type TreeChange, updateTree } from './tree.ts';

/** The store over any backend: sealed layers in memory, and the rules of their order. */
export function createStore(backend: Backend): Store {
  return new LayeredStore(backend);
}

class LayeredStore implements Store {
  readonly #backend: Backend;
  #committed: Committed;
  #head: Ground;
  /** Sealed and not on disk. */
  readonly #layers = new Set<SealedLayer>();

  /**
   * One function for all layers: one made in `seal` would keep the variables of that call, and with them the ground below,
   * alive, so that every layer held all that came before it.
   */
  readonly #readCommitted = (): Committed => this.#committed;

  constructor(backend: Backend) {
    this.#backend = backend;
    this.#committed = new Committed(backend);
    this.#head = this.#committed;
  }

  snapshot(): Snapshot {
    return this.#committed;
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
    const tree = updateTree((path) => ground.page(path), ground.root, treeChanges(changes));
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
      committed: this.#readCommitted,
    });
    this.#layers.add(layer);
    this.#head = layer;
    return layer;
  }

  drop(): void {
    for (const layer of this.#layers) this.#forget(layer);
    this.#head = this.#committed;
  }

  async commit(upTo: Layer): Promise<void> {
    const ground = this.#groundOf(upTo);
    // Otherwise it is the state on disk.
    if (ground instanceof SealedLayer) this.#write(ground);
  }

  async close(): Promise<void> {
    this.drop();
    this.#committed.supersede();
    await this.#backend.close();
  }

  #write(upTo: SealedLayer): void {
    const chain = upTo.chain();
    this.#backend.write({
      from: this.#committed.height,
      height: upTo.height,
      root: upTo.root,
      state: mergeChanges(chain.map((layer) => layer.changes)),
      pages: mergeChanges(chain.map((layer) => layer.changedPages)),
    });
    this.#committed.supersede();
    this.#committed = new Committed(this.#backend, upTo);

    for (const layer of this.#layers) if (!layer.chain().includes(upTo)) this.#forget(layer);
    this.#layers.delete(upTo);
    // Written layers are read from disk from now on, and nothing keeps them in memory.
    for (const layer of this.#layers) if (layer.below === upTo) layer.below = undefined;
    upTo.below = undefined;
    if (this.#head === upTo || this.#head.gone) this.#head = this.#committed;
  }

  /** The committed version stands for the layer that it was, so an overlay begun before a commit can be sealed after. */
  #groundOf(base: StateReader): Ground {
    if (base === this.#committed || base === this.#committed.layer) return this.#committed;
    if (base instanceof SealedLayer && this.#layers.has(base)) return base;
    throw new Error('base of the overlay or layer is gone, dropped or committed over, or was never part of this store');
  }

  #forget(layer: SealedLayer): void {
    layer.gone = true;
    this.#layers.delete(layer);
  }
}

/** A block's changes to the tree, in the order of the tree. */
function treeChanges(changes: Changes): TreeChange[] {
  const hashed: TreeChange[] = [];
  for (const [key, value] of changes) {
    if (key.startsWith(INDEX_PREFIX)) continue;
    hashed.push({ keyHash: hashKey(key), valueHash: value === DELETED ? undefined : sha256(value) });
  }
  return hashed.sort((a, b) => compareHashes(a.keyHash, b.keyHash));
}
