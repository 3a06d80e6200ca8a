import type { ChainReader } from '../../chain/chain.ts';
import type { Pool } from '../../pool/pool.ts';
import type { EvmSimulator } from '../../simulate/evm-simulator.ts';
import type { Simulator } from '../../simulate/simulator.ts';

export interface CallDeps {
  readonly chain: ChainReader;
  readonly pool: Pick<Pool, 'nextNonce'>;
  readonly simulator: EvmSimulator;
  /** Estimates for other methods; the simulator, if absent. */
  readonly estimator?: Pick<Simulator, 'estimateGas'>;
}
