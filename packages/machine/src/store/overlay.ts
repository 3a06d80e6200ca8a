import { NodeFault } from '../fault.ts';
import { ChangedRows } from './changed-rows.ts';
import { type Changes, DELETED } from './changes.ts';
import { MAX_KEY_LENGTH, type RangeOptions, type Row, type StateReader, type StateWriter } from './state.ts';

/**
 * Writes kept in memory over a base that is not touched.
 *
 * A block, a transaction in it and an action in that are overlays on one another; `apply` keeps one
 * whole, forgetting it drops it whole.
 */
export class Overlay implements StateWriter {
  readonly base: StateReader;
  #changes = new Map<string, Uint8Array>();
  #open = true;
  /** From the first range on, which most overlays never read. */
  #rows: ChangedRows | undefined;
  #writes = 0;
  /** Version of the base that `#rows` knows. */
  #known = 0;

  constructor(base: StateReader) {
    this.base = base;
  }

  get(key: string): Uint8Array | undefined {
    const changed = this.#changes.get(key);
    if (changed === undefined) return this.base.get(key);
    return changed === DELETED ? undefined : changed;
  }

  range(options: RangeOptions): readonly Row[] {
    if (this.#changes.size === 0) return this.base.range(options);
    this.#rows ??= new ChangedRows(this.#changes);
    const version = getVersion(this.base);
    if (version !== this.#known) this.#rows.belowChanged();
    this.#known = version;
    return this.#rows.range((below) => this.base.range(below), options);
  }

  put(key: string, value: Uint8Array): void {
    this.#write(key, value);
  }

  delete(key: string): void {
    this.#write(key, DELETED);
  }

  /** Changed keys, those of deleted rows too. */
  keys(): Iterable<string> {
    return this.#changes.keys();
  }

  /** Number of changed keys. */
  get size(): number {
    return this.#changes.size;
  }

  child(): Overlay {
    return new Overlay(this);
  }

  /** Moves the changes into the parent overlay and leaves this one empty, ready for the next use. */
  apply(): void {
    if (!(this.base instanceof Overlay)) throw new Error('overlay has no parent overlay to apply to');
    if (!this.base.#open) throw new Error('overlay applied to a parent that is sealed');
    for (const [key, value] of this.#changes) this.base.#set(key, value);
    this.#changes.clear();
    this.#rows = undefined;
  }

  /** Hands the changes to a store, which seals them. Later writes throw. */
  take(): Changes {
    if (!this.#open) throw new Error('overlay is already sealed');
    this.#open = false;
    return this.#changes;
  }

  #write(key: string, value: Uint8Array): void {
    if (!this.#open) throw new NodeFault(`write to a sealed overlay, key ${key}`);
    if (key.length > MAX_KEY_LENGTH || key.length === 0) {
      throw new Error(`state key of ${key.length} characters, expected 1 to ${MAX_KEY_LENGTH}`);
    }
    this.#set(key, value);
  }

  #set(key: string, value: Uint8Array): void {
    this.#changes.set(key, value);
    this.#rows?.changed(key, value);
    this.#writes += 1;
  }

  /** Rises with each write that is seen here. */
  get version(): number {
    return this.#writes + getVersion(this.base);
  }
}

/** Any other base does not change while an overlay lies on it. */
function getVersion(base: StateReader): number {
  return base instanceof Overlay ? base.version : 0;
}
