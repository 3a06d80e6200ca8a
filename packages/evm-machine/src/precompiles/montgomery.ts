import { compileWasm } from '@switchyard/protocol/wasm';
import { MONTGOMERY } from '../gen/wasm/montgomery.ts';
import { INVERSE, LARGEST_WORDS, MODULUS, PLACES, PLAIN_ONE, STEPS, WORD_BYTES } from './montgomery-layout.ts';
import { BASE, CURRENT, type Residues } from './residues.ts';

const WORD_BITS = 64;
/** For longer numbers the platform's own arithmetic is as fast. */
export const LARGEST_BITS = LARGEST_WORDS * WORD_BITS;

/** Modulo odd numbers of up to `LARGEST_BITS`, in WebAssembly. */
export class MontgomeryResidues implements Residues {
  readonly #modulus: bigint;
  readonly #words: number;
  readonly #one: bigint;
  /** Content of the module's memory during a run. Between runs others have their turn, who may use the module too. */
  readonly #kept: Uint8Array;
  readonly #view: DataView;

  constructor(base: bigint, modulus: bigint) {
    this.#modulus = modulus;
    this.#words = Math.ceil(modulus.toString(2).length / WORD_BITS);
    this.#kept = new Uint8Array(PLACES * this.#words * WORD_BYTES);
    this.#view = new DataView(this.#kept.buffer);
    const shift = BigInt(this.#words * WORD_BITS);
    this.#one = (1n << shift) % modulus;
    this.#put(CURRENT, this.#one);
    this.#put(BASE, ((base % modulus) << shift) % modulus);
    this.#put(PLAIN_ONE, 1n);
    this.#put(MODULUS, modulus);
    this.#put(INVERSE, -inverse(modulus, WORD_BITS));
  }

  run(steps: Uint8Array): void {
    const { memory, run } = getModule(this.#words);
    const bytes = new Uint8Array(memory.buffer);
    bytes.set(this.#kept);
    bytes.set(steps, STEPS);
    run(steps.length);
    this.#kept.set(bytes.subarray(0, this.#kept.length));
  }

  restart(): void {
    this.#put(CURRENT, this.#one);
  }

  result(): bigint {
    this.run(Uint8Array.of(PLAIN_ONE));
    let result = 0n;
    for (let word = this.#words - 1; word >= 0; word -= 1) {
      const digit = this.#view.getBigUint64((CURRENT * this.#words + word) * WORD_BYTES, true);
      result = (result << BigInt(WORD_BITS)) | digit;
    }
    return result % this.#modulus;
  }

  #put(place: number, value: bigint): void {
    for (let word = 0; word < this.#words; word += 1) {
      const digit = BigInt.asUintN(WORD_BITS, value >> BigInt(word * WORD_BITS));
      this.#view.setBigUint64((place * this.#words + word) * WORD_BYTES, digit, true);
    }
  }
}

interface MontgomeryModule {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Makes this many of the steps in memory, on the places in memory. Numbers there are below R, not always below m. */
  readonly run: (count: number) => void;
}

/** Started on first use. */
function getModule(words: number): MontgomeryModule {
  const found = modules.get(words);
  if (found !== undefined) return found;
  // Exported by scripts/wasm/montgomery.ts.
  const made = compileWasm(MONTGOMERY[words - 1] ?? '')() as MontgomeryModule;
  modules.set(words, made);
  return made;
}

const modules = new Map<number, MontgomeryModule>();

/** Inverse of an odd number, modulo 2^bits. */
export function inverse(odd: bigint, bits: number): bigint {
  let result = odd;
  // Every round makes twice as many bits right, and three are at first.
  for (let right = 3; right < bits; right *= 2) result = BigInt.asUintN(bits, result * (2n - odd * result));
  return BigInt.asUintN(bits, result);
}
