import type { StateProof } from '@switchyard/protocol';
import { NodeFault, readStored } from '../fault.ts';
import type { Backend } from './backend.ts';
import { type Changes, DELETED } from './changes.ts';
import { proveKey } from './proof.ts';
import { ChangeStack } from './stack.ts';
import type { RangeOptions, Row } from './state.ts';
import { type Head, INDEX_PREFIX, type Layer, type Snapshot } from './store.ts';

/** Base for the execution of a block: the committed version, or a sealed layer. */
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
  abstract range(options: RangeOptions): readonly Row[];
  abstract page(path: string): Uint8Array | undefined;

  protected refuseIfGone(): void {
    if (this.gone) throw new NodeFault(`state at height ${this.height} is gone, dropped or committed over`);
  }
}

/** The version on disk, until the next commit. */
export class Committed extends Ground implements Snapshot {
  readonly height: bigint | undefined;
  readonly root: Uint8Array;
  readonly position: number;
  readonly state = ChangeStack.EMPTY;
  readonly pages = ChangeStack.EMPTY;
  /** The layer from before it went to disk. Overlays may still stand on it. */
  readonly layer: SealedLayer | undefined;
  readonly #backend: Backend;

  constructor(backend: Backend, layer?: SealedLayer) {
    super();
    this.height = backend.height;
    this.root = backend.root;
    this.position = layer?.position ?? 0;
    this.layer = layer;
    this.#backend = backend;
  }

  get(key: string): Uint8Array | undefined {
    this.refuseIfGone();
    return readStored(() => this.#backend.get(key));
  }

  page(path: string): Uint8Array | undefined {
    this.refuseIfGone();
    return this.#backend.page(path);
  }

  range(options: RangeOptions): readonly Row[] {
    this.refuseIfGone();
    const { limit } = options;
    if (!Number.isSafeInteger(limit) || limit < 0) throw new RangeError(`range limit ${limit}`);
    return limit === 0 ? [] : readStored(() => this.#backend.range(options));
  }

  prove(key: string): StateProof {
    if (key.startsWith(INDEX_PREFIX)) throw new Error(`key is not part of the state tree: ${key}`);
    return proveKey((path) => this.page(path), key);
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
  /** Changes of this layer alone, for the disk. */
  readonly changes: Changes;
  readonly changedPages: Changes;
  /** Changes of this and the layers below, for reading. */
  readonly state: ChangeStack;
  readonly pages: ChangeStack;
  /** The version on disk at the time of the call. */
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
  /** The next older layer that is not on disk. */
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

  get size(): number {
    return this.changes.size;
  }

  get(key: string): Uint8Array | undefined {
    this.refuseIfGone();
    const changed = this.state.get(key);
    if (changed === undefined) return this.#committed().get(key);
    return changed === DELETED ? undefined : changed;
  }

  range(options: RangeOptions): readonly Row[] {
    this.refuseIfGone();
    return this.state.range((below) => this.#committed().range(below), options);
  }

  page(path: string): Uint8Array | undefined {
    const changed = this.pages.get(path);
    if (changed === undefined) return this.#committed().page(path);
    return changed === DELETED ? undefined : changed;
  }

  /** This layer and those below it that are not on disk, oldest first. */
  chain(): SealedLayer[] {
    const newestFirst: SealedLayer[] = [];
    for (let layer: SealedLayer | undefined = this; layer !== undefined; layer = layer.below) newestFirst.push(layer);
    return newestFirst.reverse();
  }
}
