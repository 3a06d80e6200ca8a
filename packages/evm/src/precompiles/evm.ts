import { EVM, type EVMBN254Interface, type EVMOpts, NobleBN254 } from '@ethereumjs/evm';
import { useOwnHandlers } from '../embedded/own-handlers.ts';
import type { Pause } from '../pause.ts';
import { loadBn254 } from './bn254.ts';
import { replacePrecompiles } from './in-pieces.ts';
import type { PairingCurve } from './pairing-curve.ts';
import { drained } from './steps.ts';

/** What the library's `createEVM` has defaults for, and the rest. */
export type EvmParts = EVMOpts & Required<Pick<EVMOpts, 'common' | 'stateManager' | 'blockchain'>>;

/**
 * An interpreter whose precompiled contracts, copies and jumps are as fast as their gas; the contracts let others have their
 * turn. `createEVM` takes a curve too, and then puts the library's own in its place.
 */
export async function evmWithFastContracts(parts: EvmParts, pause: Pause): Promise<EVM> {
  const bn254 = await loadBn254();
  const evm = new EVM({ ...parts, bn254: curveForLibrary(bn254) });
  replacePrecompiles(evm, bn254, pause);
  await useOwnHandlers(evm);
  return evm;
}

/** Where a call fails the library's own curve is asked, whose errors traces show. */
function curveForLibrary({ g1, pairing }: PairingCurve): EVMBN254Interface {
  const theirs = new NobleBN254();
  return {
    add: (input) => g1.sum(input.subarray(0, 128)) ?? theirs.add(input),
    mul: (input) => drained(g1.products(input.subarray(0, 96), 1)) ?? theirs.mul(input),
    pairing: (input) => drained(pairing(input)) ?? theirs.pairing(input),
  };
}
