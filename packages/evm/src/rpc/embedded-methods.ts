import type { AddressIndex } from '../explorer/index/address-index.ts';
import type { EvmSimulator } from '../simulate/evm-simulator.ts';
import { simulatorMethods } from './call/all-methods.ts';
import type { RpcDeps, RpcMethods } from './deps.ts';
import { rpcMethods } from './methods.ts';
import { poolMethods } from './pool/methods.ts';

export interface EmbeddedRpcDeps extends RpcDeps {
  readonly simulator: EvmSimulator;
  readonly index: AddressIndex;
}

/** Every method of a node that executes by itself. */
export function embeddedMethods(deps: EmbeddedRpcDeps): RpcMethods {
  return rpcMethods(deps, poolMethods(deps), simulatorMethods(deps));
}
