import { readyPrecompiles } from '@switchyard/evm-machine/precompiles';
import { outside } from '@switchyard/service';

let loading: Promise<void> | undefined;

/** Loads the machine's modules once per process, on real time in a simulation too. */
export function readyMachine(): Promise<void> {
  loading ??= outside(readyPrecompiles());
  return loading;
}
