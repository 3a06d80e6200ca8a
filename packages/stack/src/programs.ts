import type { ProgramName } from './network.ts';
import type { Program } from './process.ts';
import { composer } from './processes/composer.ts';
import { conductor } from './processes/conductor.ts';
import { da } from './processes/da.ts';
import { evm } from './processes/evm.ts';
import { explorer } from './processes/explorer.ts';
import { faucet } from './processes/faucet.ts';
import { messenger } from './processes/messenger.ts';
import { relayer } from './processes/relayer.ts';
import { sequencer } from './processes/sequencer.ts';
import { withdrawer } from './processes/withdrawer.ts';

export interface Programs extends Readonly<Record<ProgramName, Program>> {
  readonly sequencer: typeof sequencer;
  readonly composer: typeof composer;
  readonly messenger: typeof messenger;
  readonly evm: typeof evm;
  readonly da: typeof da;
  readonly relayer: typeof relayer;
  readonly conductor: typeof conductor;
  readonly withdrawer: typeof withdrawer;
  readonly faucet: typeof faucet;
  readonly explorer: typeof explorer;
}

/** Every program of ours. */
export const PROGRAMS: Programs = {
  sequencer,
  composer,
  messenger,
  evm,
  da,
  relayer,
  conductor,
  withdrawer,
  faucet,
  explorer,
};

/** Options of Node for a process on a machine without another bound of its memory. */
export function toNodeFlags({ memory }: Program): string {
  const { young, heap } = memory;
  return `--max-semi-space-size=${young}${heap === undefined ? '' : ` --max-old-space-size=${heap}`}`;
}

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

/** The program of a process. A rollup of an author's has one with the settings of the messenger's, or is the messenger. */
export function getProgram(process: Process | LayerProcess): Program {
  if (isWithdrawer(process)) return withdrawer;
  return process === 'rollup' ? messenger : PROGRAMS[process];
}

/** Further processes of a rollup on one machine whose data-availability layer is the local one. */
export const LAYER_PROCESSES = ['da', 'relayer'] as const satisfies readonly ProgramName[];

export type LayerProcess = (typeof LAYER_PROCESSES)[number];

export { readsLayer } from './processes/conductor.ts';
export { LOCAL_LAYER } from './processes/da.ts';
export { getCoin } from './processes/faucet.ts';
