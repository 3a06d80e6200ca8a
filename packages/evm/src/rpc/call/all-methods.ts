import type { AddressIndex } from '../../explorer/index/address-index.ts';
import type { Pool } from '../../pool/pool.ts';
import type { EvmSimulator } from '../../simulate/evm-simulator.ts';
import { debugMethods } from '../debug/debug-methods.ts';
import type { RpcMethods } from '../deps.ts';
import { addressMethods } from '../../explorer/ots/address-methods.ts';
import { otsMethods } from '../../explorer/ots/ots-methods.ts';
import { traceMethods } from '../../explorer/parity/trace-methods.ts';
import { callMethods } from './call-methods.ts';

/** Every method that runs something, or that reads the index. */
export function simulatorMethods(deps: {
  readonly simulator: EvmSimulator;
  readonly index: AddressIndex;
  readonly pool: Pick<Pool, 'get' | 'nextNonce'>;
}): RpcMethods {
  const { chain } = deps.simulator.deps;
  const all = { ...deps, chain };
  return {
    ...callMethods(all),
    ...debugMethods(all),
    ...otsMethods(all),
    ...addressMethods(all),
    ...traceMethods(all),
  };
}
