import { type Fork, includes } from '@switchyard/evm-machine/fork';
import { MAX_GAS } from '@switchyard/evm-machine/limits';
import type { Outcome } from '@switchyard/evm-machine/values';

/** Gas that a block has left. */
export interface GasLeft {
  readonly gasLeft: bigint;
  /** Gas for state, from Amsterdam on (EIP-8037); then the other is for all else. */
  readonly stateGasLeft?: bigint | undefined;
}

/** Gas of the transactions of a block. */
export class BlockGas implements GasLeft {
  readonly #countsState: boolean;
  readonly #limit: bigint;
  #execution = 0n;
  #state = 0n;

  constructor(fork: Fork, limit: bigint) {
    this.#countsState = includes(fork, 'amsterdam');
    this.#limit = limit;
  }

  add({ execution, state }: Outcome['blockGas']): void {
    this.#execution += execution;
    this.#state += state;
  }

  get execution(): bigint {
    return this.#execution;
  }

  get state(): bigint {
    return this.#state;
  }

  /** The kind of which more is used counts for the block. */
  get used(): bigint {
    return this.#execution > this.#state ? this.#execution : this.#state;
  }

  get gasLeft(): bigint {
    return this.#limit - this.#execution;
  }

  get stateGasLeft(): bigint | undefined {
    return this.#countsState ? this.#limit - this.#state : undefined;
  }
}

/** Whether a block has room for a transaction that may use all of its gas. */
export function hasRoom(gasLimit: bigint, { gasLeft, stateGasLeft }: GasLeft): boolean {
  if (stateGasLeft === undefined) return gasLimit <= gasLeft;
  const execution = gasLimit < MAX_EXECUTION ? gasLimit : MAX_EXECUTION;
  return execution <= gasLeft && gasLimit <= stateGasLeft;
}

/** Gas limit of the largest transaction for which there is room. */
export function mostGas({ gasLeft, stateGasLeft }: GasLeft): bigint {
  if (stateGasLeft === undefined || gasLeft >= MAX_EXECUTION) return stateGasLeft ?? gasLeft;
  return gasLeft < stateGasLeft ? gasLeft : stateGasLeft;
}

const MAX_EXECUTION = BigInt(MAX_GAS);
