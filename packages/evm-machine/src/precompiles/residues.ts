/**
 * Residues modulo a number, in numbered places. The current number is in place `CURRENT`, and is 1 at first; the base of
 * a power is in place `BASE`. A step is the number of a place, by which the current one is multiplied, or with `STORE`
 * added the place to keep it in.
 */
export interface Residues {
  run(steps: Uint8Array): void;
  /** Makes the current one 1 again. */
  restart(): void;
  result(): bigint;
}

export const CURRENT = 0;
export const BASE = 1;
export const LAST_PLACE = 33;
export const STORE = 128;

/** Modulo numbers of any size. */
export class BigResidues implements Residues {
  readonly #modulus: bigint;
  readonly #places: bigint[];
  #current = 1n;

  constructor(base: bigint, modulus: bigint) {
    this.#modulus = modulus;
    this.#places = [0n, base % modulus];
  }

  run(steps: Uint8Array): void {
    for (const step of steps) {
      if (step >= STORE) this.#places[step - STORE] = this.#current;
      else this.#current = (this.#current * this.#at(step)) % this.#modulus;
    }
  }

  restart(): void {
    this.#current = 1n;
  }

  result(): bigint {
    return this.#current;
  }

  #at(place: number): bigint {
    const found = place === CURRENT ? this.#current : this.#places[place];
    if (found === undefined) throw new Error(`nothing is in place ${place}`);
    return found;
  }
}
