import type { BackendView } from './backend.ts';
import { type Changes, DELETED } from './overlay.ts';
import { proveKey, type StateProof } from './proof.ts';
import { ChangeStack } from './stack.ts';
import { type Head, INDEX_PREFIX, type Layer, type RangeOptions, type Snapshot } from './store.ts';

/** What a block can be executed on: the committed version, or a sealed layer. */
export abstract class Ground implements Head {
  abstract readonly height: bigint | undefined;
  abstract readonly root: Uint8Array;
  /** Layers below this one since the store was opened. */
  abstract readonly position: number;
  abstract readonly state: ChangeStack;
  abstract readonly pages: ChangeStack;
  /** Set once this is off the chain. What it would read then is wrong, so reads throw. */
  gone = false;

  abstract get(key: string): Uint8Array | undefined;

  protected refuseIfGone(): void {
    if (this.gone) throw new Error(`state at height ${this.height} was dropped or committed over`);
  }
}

/** A version on disk. */
export class Committed extends Ground {
  readonly state = ChangeStack.EMPTY;
  readonly pages = ChangeStack.EMPTY;
  /** Whether somebody may hold a snapshot of it. */
  taken = false;
  /**
   * @param serial Number of commits before it.
   * @param layer The layer it was before it went to disk, on which overlays may still stand.
   */
  constructor(
    readonly view: BackendView,
    readonly position: number,
    readonly serial: number,
    readonly layer: SealedLayer | undefined,
  ) {
    super();
  }

  get height(): bigint | undefined {
    return this.view.height;
  }

  get root(): Uint8Array {
    return this.view.root;
  }

  get(key: string): Uint8Array | undefined {
    this.refuseIfGone();
    return this.view.get(key);
  }

  supersede(): void {
    this.gone = true;
    if (this.layer !== undefined) this.layer.gone = true;
  }
}

interface LayerParts {
  readonly height: bigint;
  readonly root: Uint8Array;
  readonly position: number;
  readonly below: SealedLayer | undefined;
  /** Of this layer alone, for the disk. */
  readonly changes: Changes;
  readonly changedPages: Changes;
  /** Of this and the layers below, for reading. */
  readonly state: ChangeStack;
  readonly pages: ChangeStack;
  /** What is on disk when asked. */
  committed(): Committed;
}

export class SealedLayer extends Ground implements Layer {
  readonly height: bigint;
  readonly root: Uint8Array;
  readonly position: number;
  readonly state: ChangeStack;
  readonly pages: ChangeStack;
  readonly changes: Changes;
  readonly changedPages: Changes;
  below: SealedLayer | undefined;
  readonly #committed: () => Committed;

  constructor(parts: LayerParts) {
    super();
    this.height = parts.height;
    this.root = parts.root;
    this.position = parts.position;
    this.state = parts.state;
    this.pages = parts.pages;
    this.changes = parts.changes;
    this.changedPages = parts.changedPages;
    this.below = parts.below;
    this.#committed = parts.committed;
  }

  get(key: string): Uint8Array | undefined {
    this.refuseIfGone();
    const changed = this.state.get(key);
    if (changed === undefined) return this.#committed().get(key);
    return changed === DELETED ? undefined : changed;
  }

  /** This layer and those below it that are not on disk, oldest first. */
  chain(): SealedLayer[] {
    const newestFirst: SealedLayer[] = [];
    for (let layer: SealedLayer | undefined = this; layer !== undefined; layer = layer.below) newestFirst.push(layer);
    return newestFirst.reverse();
  }
}

export class VersionSnapshot implements Snapshot {
  readonly height: bigint | undefined;
  readonly root: Uint8Array;
  readonly #view: BackendView;

  constructor(view: BackendView) {
    this.height = view.height;
    this.root = view.root;
    this.#view = view;
  }

  get(key: string): Uint8Array | undefined {
    return this.#view.get(key);
  }

  range(options: RangeOptions): Iterable<readonly [string, Uint8Array]> {
    if (!Number.isSafeInteger(options.limit) || options.limit < 0) throw new RangeError(`range limit ${options.limit}`);
    return this.#view.range(options);
  }

  prove(key: string): StateProof {
    if (key.startsWith(INDEX_PREFIX)) throw new Error(`key is not part of the state tree: ${key}`);
    return proveKey((path) => this.#view.page(path), key);
  }
}
