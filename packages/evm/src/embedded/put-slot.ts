import type { Address, Hash } from '@switchyard/evm-machine/types';
import type { CallContext } from './environment.ts';

/** Writes a slot in place of code that would, and records it as that would be. */
export function putSlot({ state, recorder }: CallContext, address: Address, key: Hash, value: bigint): void {
  recorder?.slot(address, key, state.storage(address, key), value);
  state.putStorage(address, key, value);
}
