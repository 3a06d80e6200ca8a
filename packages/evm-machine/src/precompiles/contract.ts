import { type Fork, includes } from '../fork.ts';
import type { Address } from '../types.ts';
import { blake2f, blake2fGas } from './blake2f.ts';
import { type Bls12381, loadBls12381 } from './bls12-381.ts';
import { loadBn254, PAIR_BYTES } from './bn254.ts';
import { G1_DISCOUNTS, G2_DISCOUNTS, gasByPair, gasByProduct, gasByWord } from './gas.ts';
import { ecrecover, padded, ripemd160, sha256 } from './hashes.ts';
import { loadKzg, pointEvaluationContract } from './kzg.ts';
import { type ModexpPricing, modexp, modexpGas } from './modexp.ts';
import { loadP256, type VerifyP256 } from './p256.ts';
import type { PairingCurve } from './pairing-curve.ts';

/** A contract whose code is not the EVM's. */
export interface Precompile {
  /** Infinity if no gas is enough. To be paid before it is run. */
  readonly gas: (input: Uint8Array) => number;
  /** @returns the output of the contract; undefined when it fails, which takes all gas of the call. */
  readonly run: (input: Uint8Array) => Uint8Array | undefined;
}

interface Curves {
  readonly bn254: PairingCurve;
  readonly bls: Bls12381;
  readonly verifyP256: VerifyP256;
}

let curves: Curves | undefined;

/** Once per process, before contracts are used: their modules take a tenth of a second and some 10 MB. */
export function readyPrecompiles(): Promise<void> {
  loading ??= load();
  return loading;
}

let loading: Promise<void> | undefined;

async function load(): Promise<void> {
  const [bn254, bls, verifyP256] = await Promise.all([loadBn254(), loadBls12381(), loadP256(), loadKzg()]);
  curves = { bn254, bls, verifyP256 };
}

const tables = new Map<Fork, ReadonlyMap<Address, Precompile>>();

/** Contracts that a fork has, by address. After `readyPrecompiles`. */
export function getPrecompiles(fork: Fork): ReadonlyMap<Address, Precompile> {
  const found = tables.get(fork);
  if (found !== undefined) return found;
  if (curves === undefined) throw new Error('precompiled contracts are used before readyPrecompiles');
  const made = new Map([
    ...frontierContracts(),
    ...(includes(fork, 'byzantium') ? byzantiumContracts(fork, curves) : []),
    ...(includes(fork, 'istanbul') ? [at(9, { gas: blake2fGas, run: blake2f })] : []),
    ...(includes(fork, 'cancun') ? [at(10, { gas: () => 50_000, run: pointEvaluationContract })] : []),
    ...(includes(fork, 'prague') ? pragueContracts(curves) : []),
    ...(includes(fork, 'osaka') ? [at(0x100, p256Contract(curves))] : []),
  ]);
  tables.set(fork, made);
  return made;
}

type Entry = readonly [Address, Precompile];

function at(place: number, contract: Precompile): Entry {
  return [`0x${place.toString(16).padStart(40, '0')}`, contract];
}

function frontierContracts(): Entry[] {
  return [
    at(1, { gas: () => 3_000, run: ecrecover }),
    at(2, { gas: gasByWord(60, 12), run: sha256 }),
    at(3, { gas: gasByWord(600, 120), run: ripemd160 }),
    at(4, { gas: gasByWord(15, 3), run: (input) => input.slice() }),
  ];
}

/** EIP-198, EIP-196, EIP-197; repriced by EIP-1108, EIP-2565 and EIP-7883. */
function byzantiumContracts(fork: Fork, { bn254 }: Curves): Entry[] {
  const isCheap = includes(fork, 'istanbul');
  const since: ModexpPricing = includes(fork, 'berlin') ? 'EIP-2565' : 'EIP-198';
  const pricing = includes(fork, 'osaka') ? 'EIP-7883' : since;
  const { g1, pairing } = bn254;
  const pairingGas = isCheap ? gasByPair(45_000, 34_000, PAIR_BYTES) : gasByPair(100_000, 80_000, PAIR_BYTES);
  return [
    at(5, { gas: (input) => modexpGas(input, pricing), run: (input) => modexp(input, pricing) }),
    at(6, { gas: () => (isCheap ? 150 : 500), run: (input) => g1.sum(padded(input, 128)) }),
    at(7, { gas: () => (isCheap ? 6_000 : 40_000), run: (input) => g1.products(padded(input, 96)) }),
    at(8, { gas: pairingGas, run: pairing }),
  ];
}

/** EIP-2537. */
function pragueContracts({ bls }: Curves): Entry[] {
  const { g1, g2, pairing, mapToG1, mapToG2 } = bls;
  return [
    at(11, { gas: () => 375, run: g1.sum }),
    at(12, { gas: gasByProduct(12_000, 160, G1_DISCOUNTS), run: g1.products }),
    at(13, { gas: () => 600, run: g2.sum }),
    at(14, { gas: gasByProduct(22_500, 288, G2_DISCOUNTS), run: g2.products }),
    // Unlike that of EIP-197, which has 1 for no pairs.
    at(15, {
      gas: gasByPair(37_700, 32_600, 384),
      run: (input) => (input.length === 0 ? undefined : pairing(input)),
    }),
    at(16, { gas: () => 5_500, run: mapToG1 }),
    at(17, { gas: () => 23_800, run: mapToG2 }),
  ];
}

/** EIP-7951: no bytes if a signature is invalid. */
function p256Contract({ verifyP256 }: Curves): Precompile {
  return {
    gas: () => 6_900,
    run(input) {
      if (!verifyP256(input)) return new Uint8Array();
      const one = new Uint8Array(32);
      one[31] = 1;
      return one;
    },
  };
}
