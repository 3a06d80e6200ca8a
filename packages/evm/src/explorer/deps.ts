import type { ChainReader } from '../chain/chain.ts';
import type { EvmSimulator } from '../simulate/evm-simulator.ts';
import type { AddressIndex } from './index/address-index.ts';

export interface ExplorerDeps {
  readonly simulator: EvmSimulator;
  readonly index: AddressIndex;
  /** False if a stock client executes, which does not report them. */
  readonly hasInternalCalls?: boolean;
}

/** Parts that the methods are made from. */
export interface ExplorerParts extends Required<ExplorerDeps> {
  readonly chain: ChainReader;
}
