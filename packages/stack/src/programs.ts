import type { ProgramName } from './network.ts';
import type { Deployable, Program } from './process.ts';
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
import { isWithdrawer, type LayerProcess, type Process } from './roles.ts';

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

/** The program of a process. A rollup of an author's has one with the settings of the messenger's, or is the messenger. */
export function getProgram(process: Process | LayerProcess): Deployable {
  if (isWithdrawer(process)) return withdrawer;
  return process === 'rollup' ? messenger : PROGRAMS[process];
}

export { readsLayer } from './processes/conductor.ts';
export { LOCAL_LAYER } from './processes/da.ts';
export { getCoin } from './processes/faucet.ts';
export { getRole, LAYER_PROCESSES, type LayerProcess, PROCESSES, type Process, WITHDRAWERS } from './roles.ts';
