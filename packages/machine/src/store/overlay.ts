import { MAX_KEY_LENGTH, type StateReader, type StateWriter } from './state.ts';

/** Stands for "deleted" in a map of changes. Compared by identity, so an empty value is still a value. */
export const DELETED: Uint8Array = new Uint8Array(0);

/** Changed keys with their new values or {@link DELETED}. */
export type Changes = ReadonlyMap<string, Uint8Array>;

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

  constructor(base: StateReader) {
    this.base = base;
  }

  get(key: string): Uint8Array | undefined {
    const changed = this.#changes.get(key);
    if (changed === undefined) return this.base.get(key);
    return changed === DELETED ? undefined : changed;
  }

  put(key: string, value: Uint8Array): void {
    this.#write(key, value);
  }

  delete(key: string): void {
    this.#write(key, DELETED);
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
    const target = this.base.#changes;
    for (const [key, value] of this.#changes) target.set(key, value);
    this.#changes.clear();
  }

  /** Hands the changes to a store, which seals them. Later writes throw. */
  take(): Changes {
    if (!this.#open) throw new Error('overlay is already sealed');
    this.#open = false;
    return this.#changes;
  }

  #write(key: string, value: Uint8Array): void {
    if (!this.#open) throw new Error(`write to a sealed overlay, key ${key}`);
    if (key.length > MAX_KEY_LENGTH || key.length === 0) {
      throw new Error(`state key of ${key.length} characters, expected 1 to ${MAX_KEY_LENGTH}`);
    }
    this.#changes.set(key, value);
  }
}
