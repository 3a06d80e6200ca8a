import type { Executor } from '@switchyard/rollup/execution';
import type { ChainStore } from '../chain/store.ts';
import type { Senders } from '../senders/senders.ts';
import type { SimulatorDeps } from '../simulate/evm-simulator.ts';

/** The chain with the executor of its blocks, in any thread. */
export interface Execution extends Required<Pick<SimulatorDeps, 'stateRoot' | 'slotsEver'>> {
  readonly chain: ChainStore;
  readonly executor: Executor;
  readonly senders: Senders;
}
