import type { ProgramName } from './network.ts';

/** Processes that are the node of a rollup if a manifest describes it: one of them for each kind of rollup. */
export const NODES = ['evm', 'rollup'] as const;

export type NodeProcess = (typeof NODES)[number];

/** Roles of the processes that a rollup consists of if a manifest describes it. */
export const ROLES = [...NODES, 'composer', 'conductor', 'withdrawer', 'faucet', 'explorer'] as const;

/** Payers of withdrawals: one for each bridge account, in the order of the withdrawals of the genesis. */
export const WITHDRAWERS = ['withdrawer', 'withdrawer-2', 'withdrawer-3', 'withdrawer-4'] as const;

export type Withdrawer = (typeof WITHDRAWERS)[number];

export type Process = (typeof ROLES)[number] | Withdrawer;

/** Every process that a rollup may consist of. */
export const PROCESSES: readonly Process[] = [...ROLES, ...WITHDRAWERS.slice(1)];

export const isWithdrawer = (process: string): process is Withdrawer => WITHDRAWERS.some((each) => each === process);

/** The role of a process: every payer of withdrawals has the same. */
export const getRole = (process: Process) => (isWithdrawer(process) ? 'withdrawer' : process);

/** Further processes of a rollup on one machine whose data-availability layer is the local one. */
export const LAYER_PROCESSES = ['da', 'relayer'] as const satisfies readonly ProgramName[];

export type LayerProcess = (typeof LAYER_PROCESSES)[number];
