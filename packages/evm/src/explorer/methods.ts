import type { RpcMethods } from '../rpc/deps.ts';
import type { ExplorerDeps, ExplorerParts } from './deps.ts';
import { feedMethods } from './feed/feed-methods.ts';
import { addressMethods } from './ots/address-methods.ts';
import { otsMethods } from './ots/ots-methods.ts';
import { traceMethods } from './parity/trace-methods.ts';

/** The methods that only explorers call. Nothing else of the node depends on them or on the index. */
export function explorerMethods(deps: ExplorerDeps): RpcMethods {
  const all: ExplorerParts = { hasInternalCalls: true, ...deps, chain: deps.simulator.deps.chain };
  return { ...otsMethods(all), ...addressMethods(all), ...traceMethods(all), ...feedMethods(all) };
}
