import type { RpcMethods } from '../rpc/deps.ts';
import type { EvmSimulator } from '../simulate/evm-simulator.ts';
import { feedMethods } from './feed/feed-methods.ts';
import type { AddressIndex } from './index/address-index.ts';
import { addressMethods } from './ots/address-methods.ts';
import { otsMethods } from './ots/ots-methods.ts';
import { traceMethods } from './parity/trace-methods.ts';

export interface ExplorerDeps {
  readonly simulator: EvmSimulator;
  readonly index: AddressIndex;
  /** False where a stock client executes, which does not report them. */
  readonly hasInternalCalls?: boolean;
}

/** The methods that only explorers call. Nothing else of the node depends on them or on the index. */
export function explorerMethods(deps: ExplorerDeps): RpcMethods {
  const all = { hasInternalCalls: true, ...deps, chain: deps.simulator.deps.chain };
  return { ...otsMethods(all), ...addressMethods(all), ...traceMethods(all), ...feedMethods(all) };
}
