import type { EvmSimulator } from '../simulate/evm-simulator.ts';
import type { Simulator } from '../simulate/simulator.ts';
import { simulatorMethods } from './call/all-methods.ts';
import type { RpcDeps, RpcMethods } from './deps.ts';
import { rpcMethods } from './methods.ts';
import { poolMethods } from './pool/methods.ts';

export interface EmbeddedRpcDeps extends RpcDeps {
  readonly simulator: EvmSimulator;
  /** See `CallDeps`. */
  readonly estimator?: Pick<Simulator, 'estimateGas'>;
}

/** Every method of a node that executes on its own. @param more Methods that its core does not know. */
export function embeddedMethods(deps: EmbeddedRpcDeps, more: RpcMethods = {}): RpcMethods {
  return rpcMethods(deps, poolMethods(deps), simulatorMethods(deps), more);
}
