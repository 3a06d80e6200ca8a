import type { Executor } from '@switchyard/rollup/execution';
import type { ChainStore } from '../chain/store.ts';
import type { Senders } from '../senders/senders.ts';
import type { SimulatorDeps } from '../simulate/evm-simulator.ts';

/** The chain with what executes its blocks, wherever that runs. */
export interface Execution extends Required<Pick<SimulatorDeps, 'stateRoot' | 'slotsEver'>> {
  readonly chain: ChainStore;
  readonly executor: Executor;
  readonly senders: Senders;
}
