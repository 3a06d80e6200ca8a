import type { Address, Data, Hash } from '@switchyard/evm-machine/types';

/** A contract that is in the first block of a chain. */
export interface Predeploy {
  readonly name: string;
  readonly address: Address;
  readonly nonce: number;
  readonly code: Data;
  readonly storage?: Readonly<Record<Hash, Hash>>;
}
