import type { EvmSimulator } from '../simulate/evm-simulator.ts';
import { callMethods } from './call/call-methods.ts';
import type { RpcDeps, RpcMethods } from './deps.ts';
import { rpcMethods } from './methods.ts';
import { poolMethods } from './pool/methods.ts';

export interface EmbeddedRpcDeps extends RpcDeps {
  readonly simulator: EvmSimulator;
}

/** Every method of a node that executes by itself. */
export function embeddedMethods(deps: EmbeddedRpcDeps): RpcMethods {
  return rpcMethods(deps, poolMethods(deps), callMethods(deps));
}
