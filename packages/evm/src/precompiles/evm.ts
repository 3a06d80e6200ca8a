import { EVM, type EVMOpts } from '@ethereumjs/evm';
import { useOwnHandlers } from '../embedded/own-handlers.ts';
import type { Pause } from '../pause.ts';
import { loadBn254 } from './bn254.ts';
import { replacePrecompiles } from './in-pieces.ts';

/** What the library's `createEVM` has defaults for, and the rest. */
export type EvmParts = EVMOpts & Required<Pick<EVMOpts, 'common' | 'stateManager' | 'blockchain'>>;

/**
 * An interpreter whose precompiled contracts, copies and jumps are as fast as their gas; the contracts let others have their
 * turn. `createEVM` takes a curve too, and then puts the library's own in its place.
 */
export async function evmWithFastContracts(parts: EvmParts, pause: Pause): Promise<EVM> {
  const bn254 = await loadBn254();
  const evm = new EVM({ ...parts, bn254 });
  replacePrecompiles(evm, bn254, pause);
  await useOwnHandlers(evm);
  return evm;
}
