import type { Pool } from '../../pool/pool.ts';
import type { EvmSimulator } from '../../simulate/evm-simulator.ts';
import type { Simulator } from '../../simulate/simulator.ts';
import { debugMethods } from '../debug/debug-methods.ts';
import type { RpcMethods } from '../deps.ts';
import { callMethods } from './call-methods.ts';

/** Every method that runs something. */
export function simulatorMethods(deps: {
  readonly simulator: EvmSimulator;
  readonly pool: Pick<Pool, 'get' | 'nextNonce'>;
  readonly estimator?: Pick<Simulator, 'estimateGas'>;
}): RpcMethods {
  const all = { ...deps, chain: deps.simulator.deps.chain };
  return { ...callMethods(all), ...debugMethods(all) };
}
